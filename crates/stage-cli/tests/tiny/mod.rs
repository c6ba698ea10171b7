//! Runs `examples/tiny.rs` from outside, as a person or a program would.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use origin::{Config, Origin, Script};

/// How a run ended.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, ready to be run.
pub(crate) fn command(args: &[&str]) -> Command {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let mut command = Command::new(PROGRAM.get_or_init(program));
    command.args(args).stdin(Stdio::null());
    command
}

/// Where the example is. `cargo test -p stage-cli` has built it; `--test text` has
/// not, or an older one is there, and it is built here.
fn program() -> PathBuf {
    // Tests are in target/PROFILE/deps, examples in target/PROFILE/examples.
    let test = env::current_exe().expect("own path");
    let built = test.ancestors().nth(2).expect("target/PROFILE");
    let program = built.join(format!("examples/tiny{}", env::consts::EXE_SUFFIX));
    let made = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    if made(&program) < made(&test) {
        let profile = built.file_name().and_then(|name| name.to_str());
        let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--quiet",
                "--package",
                "stage-cli",
                "--example",
                "tiny",
            ])
            .args([
                "--profile",
                profile.filter(|name| *name != "debug").unwrap_or("dev"),
            ])
            .arg("--target-dir")
            .arg(built.parent().expect("target"))
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .expect("cargo starts");
        assert!(status.success(), "the example does not compile");
    }
    program
}

pub(crate) fn tiny(args: &[&str]) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command(args).output().expect("tiny runs");
    Run {
        code: status.code(),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// An origin server that answers `/case/it` with these bytes.
pub(crate) fn answering(response: &[u8]) -> (Origin, String) {
    let origin = Origin::start(Config::default()).expect("an origin");
    let script = Script::new()
        .expect_request()
        .send(response.to_vec())
        .close();
    origin.script("it", script).expect("a script");
    let url = origin.url("/case/it");
    (origin, url)
}

/// A directory of its own, gone at the end.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(test: &str) -> Directory {
        let path = env::temp_dir().join(format!("stage-cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0
            .join(name)
            .into_os_string()
            .into_string()
            .expect("UTF-8")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
