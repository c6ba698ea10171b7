//! The program around the experiments: its command line, other contestants, and
//! the timeline's page.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn lab(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
    command.args(words).output().expect("the lab starts")
}

fn directory(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&path).expect("a directory");
    path
}

#[test]
fn wrong_words_are_refused_with_advice() {
    for (words, said) in [
        (&["--n", "0", "edge"][..], "at least 1"),
        (&["--n", "many", "edge"], "--n"),
        (&["--n", "99999999999", "edge"], "at most 1000000"),
        (&["--seconds", "-1", "edge"], "--seconds"),
        (&["edge", "edge"], "too many"),
        (&["--contestant", "go", "edge"], "NAME=COMMAND"),
        (&["timeline", "--job", "tea"], "home, ten and stall"),
        (&["timeline", "--stage", "9"], "stage5-reqwest"),
        (&["timeline", "--n", "9"], "--n is no option of `timeline`"),
        (&["all", "--json"], "--json is no option of `all`"),
        (&["edge", "--job", "ten"], "--job is no option of `edge`"),
        (&["edge", "--svg", ""], "--svg needs"),
        (&["all", "--out="], "--out needs"),
        (&["edge", "--contestant", "stage3=x"], "stage3"),
        (&["tea"], "scoreboard"),
    ] {
        let output = lab(words);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(
            stderr.contains(said) && stderr.contains("--help"),
            "{stderr}"
        );
    }
}

/// What the lab tells its own processes can be typed, too.
#[test]
fn wrong_parameters_are_refused_and_no_panic() {
    for (words, said) in [
        (
            "subject in-flight n=0 rate=1 way=1 url=http://127.0.0.1:1/",
            "n=0",
        ),
        (
            "subject in-flight n=1 rate=0 way=1 url=http://127.0.0.1:1/",
            "rate=0",
        ),
        ("subject runnable threads=1 compute=0 seconds=-1", "seconds"),
        (
            "contestant stage3 job=home origins=http://127.0.0.1:1 in-flight=0",
            "in-flight=0",
        ),
        ("contestant stage3 job", "KEY=VALUE"),
        ("subject edge", "a subject"),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(words.split(' '))
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the lab starts");
        // Kept open: at the end of its input it would exit without a word.
        let _stdin = child.stdin.take();
        let output = child.wait_with_output().expect("its end");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && !stderr.contains("panicked"),
            "{stderr}"
        );
        assert!(stderr.contains(said), "{words}: {stderr}");
    }
}

/// Not after minutes of measuring.
#[test]
fn a_place_that_cannot_be_written_to_is_told_of_at_once() {
    let file = directory("occupied").join("file");
    fs::write(&file, "").expect("a file");
    let inside = file.join("plots").to_string_lossy().into_owned();
    for words in [
        // Measured, it would complain of the contestant.
        &["together", "--contestant", "silent=false", "--svg", &inside][..],
        &["timeline", "--out", &inside],
        &["all", "--out", &inside],
    ] {
        let output = lab(words);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr.contains("making") && output.stdout.is_empty());
    }
}

/// `| head -1` is no failure; a full disk is one.
#[cfg(target_os = "linux")]
#[test]
fn only_a_reader_who_has_left_excuses_what_is_not_printed() {
    let into = |stdout: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab"));
        let status = command.arg("list").stdout(stdout).status();
        status.expect("the lab starts").code()
    };
    let full = fs::File::create("/dev/full").expect("Linux has it");
    assert_eq!(into(full.into()), Some(1));
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    assert_eq!(into(writer.into()), Some(0));
}

#[test]
fn what_is_listed_stands_in_columns() {
    let output = lab(&["list"]);
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines = list.lines();
    let head = lines.next().expect("a head");
    let at = head.find("what it shows").expect("a third column");
    for line in lines {
        assert!(
            line.is_char_boundary(at) && line[..at].ends_with("  "),
            "{line}"
        );
        assert!(!line[at..].starts_with(' '), "{line}");
    }
}

/// Another program that speaks the protocol: here the lab once more, by its
/// command line, as a Go or Java client would be.
#[test]
fn other_contestants_take_part() {
    let other = format!("other={} contestant stage3", env!("CARGO_BIN_EXE_lab"));
    let output = lab(&["together", "--runs", "1", "--contestant", &other, "--json"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(result["facts"]["other_together_us"].as_f64() >= Some(119_000.0));
}

/// A contestant that says `results`, whatever it is asked for.
#[cfg(unix)]
fn other_that_says(name: &str, results: &str) -> String {
    let script = directory("others").join(name);
    let says = format!("echo ready; read go; echo '{results}'; read exit");
    fs::write(&script, says).expect("a script");
    format!("{name}=sh {}", script.display())
}

#[cfg(unix)]
#[test]
fn what_another_contestant_leaves_out_is_not_measured() {
    let mute = other_that_says("mute", "{}");
    let output = lab(&["together", "--runs", "1", "--contestant", &mute, "--json"]);
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let rows = result["tables"][0]["rows"].as_array().expect("rows");
    let last = rows.last().expect("its row");
    assert_eq!(last[0], "mute");
    for cell in 2..=4 {
        assert_eq!(last[cell]["not_measured"], "not measured here");
    }
}

/// And not that it had too few in flight.
#[cfg(unix)]
#[test]
fn why_the_fetches_of_a_contestant_fail_is_told() {
    let failing = other_that_says("failing", r#"{"ok": 0, "first_failure": "tea"}"#);
    let output = lab(&["waiting-memory", "--n", "1", "--contestant", &failing]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    let said = "failing: only 0 of 1 fetches succeeded; the first failure: tea";
    assert!(stderr.contains(said), "{stderr}");
}

/// One that is never at rest counts something else each time, and its results come
/// while it is asked to. It is not waited for without end.
#[cfg(unix)]
#[test]
fn a_contestant_that_never_rests_is_given_up() {
    let script = directory("others").join("restless");
    let says = r#"lab=$1; shift
        "$lab" contestant stage3 "$@" | while read -r line; do
            case $line in
            *live_blocks*) i=$((i + 1)); echo "{\"live_bytes\": $i, \"live_blocks\": 0}" ;;
            *) echo "$line" ;;
            esac
        done"#;
    fs::write(&script, says).expect("a script");
    let (script, program) = (script.display(), env!("CARGO_BIN_EXE_lab"));
    let restless = format!("restless=sh {script} {program}");
    let output = lab(&["waiting-memory", "--n", "1", "--contestant", &restless]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    let said = "restless did not have 1 fetches in flight at once, and at rest, within";
    assert!(stderr.contains(said), "{stderr}");
}

/// The sentence is about what was measured, not about what was asked for.
#[cfg(target_os = "linux")]
#[test]
fn what_is_scaled_down_is_told_as_it_was_measured() {
    for (experiment, said) in [
        ("waiting-memory", ": 200 threads reserve"),
        ("moves", "200 fetches of 20 ms"),
    ] {
        let script = "ulimit -n 300 && exec \"$0\" \"$1\" --n 400 --runs 1";
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script, env!("CARGO_BIN_EXE_lab"), experiment]);
        let output = shell.output().expect("a shell");
        let report = String::from_utf8_lossy(&output.stdout).replace('\n', " ");
        assert!(report.contains(said), "{report}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("scaled down"));
    }
}

#[test]
fn a_contestant_that_breaks_the_protocol_is_named() {
    let output = lab(&["together", "--runs", "1", "--contestant", "silent=false"]);
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success());
    if cfg!(unix) {
        assert!(stderr.contains("silent ended early"), "{stderr}");
    }
}

#[test]
fn the_timeline_is_one_file_that_needs_no_other() {
    let out = directory("timeline");
    for job in ["home", "stall"] {
        let output = lab(&["timeline", "--job", job, "--out", &out.to_string_lossy()]);
        assert!(output.status.success(), "{output:?}");
        let page = fs::read_to_string(out.join(format!("timeline-{job}.html"))).expect("a page");
        for stage in [
            "stage1",
            "stage2",
            "stage3",
            "stage4-enum",
            "stage4-async",
            "stage5-hand",
            "stage5-reqwest",
        ] {
            assert!(page.contains(&format!("\"name\":\"{stage}\"")));
        }
        // The one address in it is the name of SVG.
        assert_eq!(
            page.matches("http").count(),
            page.matches("http://www.w3.org/2000/svg").count()
        );
        assert!(!page.contains("src=") && !page.contains("@import"));
    }
}

/// Where there is a Chromium: the page runs, answers the keys, and throws
/// nothing.
#[test]
fn the_timeline_runs_in_a_browser() {
    let Some(browser) = browser() else {
        eprintln!("no Chromium here (CHROMIUM=PATH names one): not tested");
        return;
    };
    let out = directory("browser");
    lab(&[
        "timeline",
        "--job",
        "ten",
        "--stage",
        "3",
        "--out",
        &out.to_string_lossy(),
    ]);
    let page = fs::read_to_string(out.join("timeline-ten.html")).expect("a page");
    // It is told of errors before the page's own script runs.
    let ear =
        "<script>window.wrong=[];addEventListener('error',e=>wrong.push(e.message));</script>";
    let keys = "<script>
        const before = document.getElementById('answers').textContent;
        for (const key of ['Home', 'ArrowRight', 'ArrowRight', 'ArrowDown', '+', '+', '-', 'ArrowLeft', 'End', 'Home', 'ArrowRight'])
            document.dispatchEvent(new KeyboardEvent('keydown', { key }));
        const after = document.getElementById('answers').textContent;
        document.querySelector('svg').dispatchEvent(new MouseEvent('click', { clientX: 400, clientY: 100 }));
        document.title = JSON.stringify({ wrong, moved: before !== after,
            bars: document.querySelectorAll('rect.waiting').length });
        </script></body>";
    let page = page
        .replacen("<head>", &format!("<head>{ear}"), 1)
        .replacen("</body>", keys, 1);
    let tested = out.join("tested.html");
    fs::write(&tested, page).expect("the page is written");
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("file://{}", tested.display()))
        .output()
        .expect("the browser starts");
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom
        .split("<title>")
        .nth(1)
        .and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_default().replace("&quot;", "\"");
    assert!(title.contains(r#""wrong":[]"#), "{title}");
    assert!(title.contains(r#""moved":true"#), "{title}");
    assert!(!title.contains(r#""bars":0"#), "{title}");
}

fn browser() -> Option<PathBuf> {
    let named = env::var_os("CHROMIUM").map(PathBuf::from);
    let paths = env::var_os("PATH").unwrap_or_default();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let found = env::split_paths(&paths).flat_map(|path| names.map(|name| path.join(name)));
    named.into_iter().chain(found).find(|path| path.is_file())
}
