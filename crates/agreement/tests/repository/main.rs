//! What `ARCHITECTURE.md` says always holds, and what every file keeps to.

mod code;
mod files;
mod packages;

use std::path::Path;

use crate::code::{lines_with_word, without_comments_and_texts};
use crate::files::{File, all_files};
use crate::packages::{Package, dependency_tree, packages};

#[test]
fn stages_1_to_3_are_built_without_tokio_reqwest_and_syn() {
    for stage in [
        "stage1-blocking-threads",
        "stage2-thread-pool",
        "stage3-event-loop",
    ] {
        let tree = dependency_tree(stage);
        // Otherwise an empty answer would be a good one.
        assert!(
            tree.iter().any(|name| name == "httparse"),
            "{stage}: {tree:?}"
        );
        for slow in ["tokio", "reqwest", "hyper", "syn"] {
            assert!(
                !tree.iter().any(|name| name == slow),
                "{stage} builds {slow}: cargo tree -p {stage} -i {slow}"
            );
        }
    }
}

#[test]
fn crates_depend_on_each_other_as_the_map_shows() {
    for package in packages() {
        let ours: Vec<&str> = package.workspace_dependencies().collect();
        let allowed: &[&str] = match package.name.as_str() {
            "fetch-core" | "origin" | "counting-alloc" => &[],
            "stage-cli" | "conformance" => &["fetch-core", "origin"],
            "stage2-thread-pool" => &["fetch-core", "stage-cli", "stage1-blocking-threads"],
            stage if is_stage(stage) => &["fetch-core", "stage-cli"],
            // Whatever compares stages knows them all.
            _ => continue,
        };
        for other in ours {
            assert!(
                allowed.contains(&other),
                "{} depends on {other}",
                package.name
            );
        }
    }
}

#[test]
fn stages_do_not_test_with_each_other() {
    for package in packages().iter().filter(|package| is_stage(&package.name)) {
        let others = package.dependencies.iter().map(|(name, _)| name);
        let strangers: Vec<_> = others
            .filter(|name| is_stage(name))
            .filter(|name| {
                (package.name.as_str(), name.as_str())
                    != ("stage2-thread-pool", "stage1-blocking-threads")
            })
            .collect();
        assert!(
            strangers.is_empty(),
            "{} depends on {strangers:?}",
            package.name
        );
    }
}

fn is_stage(name: &str) -> bool {
    name.strip_prefix("stage")
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
}

#[test]
fn every_crate_has_the_licence_the_version_and_the_lints_of_the_workspace() {
    let packages = packages();
    assert!(packages.len() >= 9, "{} packages", packages.len());
    for Package {
        name,
        manifest,
        license,
        rust_version,
        ..
    } in packages
    {
        assert_eq!(license.as_deref(), Some("MIT OR Apache-2.0"), "{name}");
        assert_eq!(rust_version.as_deref(), Some("1.95"), "{name}");
        let text = std::fs::read_to_string(&manifest).expect("a manifest");
        assert!(
            text.contains("[lints]\nworkspace = true\n"),
            "{name} has lints of its own"
        );
    }
}

#[test]
fn unsafe_stands_where_the_architecture_says() {
    let allowed = |path: &Path| {
        path.starts_with("crates/counting-alloc/src")
            || path == Path::new("crates/stage4-hand-rolled-future/src/waker.rs")
            || path == Path::new("crates/stage4-hand-rolled-future/src/reactor.rs")
            // The reader's own table of functions: exercise, start and solution.
            || path.starts_with("exercises") && path.ends_with("23_raw_waker/src/waker.rs")
    };
    for file in rust_files() {
        let found = lines_with_word(&file.text, "unsafe");
        assert!(
            found.is_empty() || allowed(&file.path),
            "{}: lines {found:?}",
            file.path.display()
        );
    }
}

#[test]
fn fetch_core_opens_no_socket_starts_no_thread_and_reads_no_clock() {
    let forbidden = [
        "TcpStream",
        "TcpListener",
        "UdpSocket",
        "UnixStream",
        "thread",
        "spawn",
        "sleep",
        "SystemTime",
    ];
    let sources: Vec<File> = rust_files()
        .filter(|file| file.path.starts_with("crates/fetch-core/src"))
        .collect();
    assert!(!sources.is_empty());
    for File { path, text } in sources {
        for word in forbidden {
            let found = lines_with_word(&text, word);
            assert!(
                found.is_empty(),
                "{}: {word} in lines {found:?}",
                path.display()
            );
        }
        let asks_the_clock = without_comments_and_texts(&text).contains("Instant::now");
        assert!(!asks_the_clock, "{}: Instant::now", path.display());
    }
}

#[test]
fn no_file_tells_of_a_machine_or_another_registry() {
    // Written in halves, so that this file passes.
    let revealing = [
        concat!("/ro", "ot/"),
        concat!("/ho", "me/"),
        concat!("/Us", "ers/"),
        concat!("/wo", "rk/"),
        concat!("C:", "\\Users"),
        concat!("index.", "crates.io"),
        concat!("static.", "crates.io"),
        concat!("[source", "."),
        concat!("[regis", "tries"),
    ];
    for File { path, text } in all_files() {
        for words in revealing {
            assert!(!text.contains(words), "{}: {words}", path.display());
        }
    }
    let lock = std::fs::read_to_string(files::root().join("Cargo.lock")).expect("a lock file");
    let strangers = lock
        .lines()
        .filter(|line| line.starts_with("source = "))
        .find(|line| *line != "source = \"registry+https://github.com/rust-lang/crates.io-index\"");
    assert_eq!(strangers, None);
}

#[test]
fn no_file_makes_another_machine_download_a_toolchain() {
    let found = all_files().find(|file| {
        file.path
            .file_stem()
            .is_some_and(|stem| stem == "rust-toolchain")
    });
    assert!(found.is_none(), "rust-version in Cargo.toml is enough");
}

#[test]
fn every_script_says_how_to_use_it() {
    let is_script = |file: &File| {
        file.path
            .extension()
            .is_some_and(|extension| extension == "sh")
            || file.path == Path::new(".ci/run")
    };
    let scripts: Vec<File> = all_files().filter(is_script).collect();
    assert!(scripts.len() > 1);
    for File { path, text } in scripts {
        let usage = text.lines().nth(1).unwrap_or_default();
        let expected = format!("# usage: {}", path.display().to_string().replace('\\', "/"));
        assert!(
            usage.starts_with(&expected),
            "{}: the second line is not {expected:?}",
            path.display()
        );
    }
}

#[test]
fn lines_end_in_a_line_feed_on_every_system() {
    let attributes =
        std::fs::read_to_string(files::root().join(".gitattributes")).expect("it exists");
    assert!(attributes.lines().any(|line| line == "* text=auto eol=lf"));
    for File { path, text } in all_files() {
        assert!(!text.contains("\r\n"), "{} has CR LF", path.display());
    }
}

fn rust_files() -> impl Iterator<Item = File> {
    all_files().filter(|file| {
        file.path
            .extension()
            .is_some_and(|extension| extension == "rs")
    })
}
