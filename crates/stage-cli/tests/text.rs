//! What a person sees.

mod tiny;

use std::io::Read;
use std::process::Stdio;

use tiny::{Directory, answering, command, tiny};

#[test]
fn the_default_run_shows_both_times_and_both_answers() {
    let run = tiny(&[]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
    let time = |way: &str| -> f64 {
        let line = run
            .stdout
            .lines()
            .find(|line| line.starts_with(way))
            .expect(way);
        let words: Vec<&str> = line.rsplit(' ').take(2).collect();
        match words[0] {
            "ms" => words[1].parse().expect("a number"),
            // A machine so slow that it took seconds.
            _ => words[1].parse::<f64>().expect("a number") * 1000.0,
        }
    };
    assert!(time("One after the other") >= 200.0);
    assert!(time("Side by side") >= 120.0);
    for expected in [
        r#"{"id":"42","name":"User 42"}"#,
        "unfinished fetches at most: 1",
        "unfinished fetches at most: 2",
        "Where did the work stop?\n  In a call to read, on the stack of a thread.",
        "Who makes it continue?\n  The kernel.",
        "--trace",
    ] {
        assert!(
            run.stdout.contains(expected),
            "{expected} in {}",
            run.stdout
        );
    }
}

/// The profile has 28 bytes, the orders 50.
#[test]
fn half_a_page_is_no_page() {
    let run = tiny(&["--max-body", "30"]);
    assert_eq!(run.code, Some(1));
    let (sequence, page) = run.stdout.split_once("\nSide by side").expect("both ways");
    assert!(sequence.contains("  profile  200 OK"), "{sequence}");
    assert!(!sequence.contains("with it the page"), "{sequence}");
    assert!(page.contains("  profile  body-too-large"), "{page}");
    assert!(page.contains("with it the page"), "{page}");
}

#[test]
fn the_trace_tells_the_story_in_order() {
    let run = tiny(&["--trace", "/delay/50/1"]);
    let mut rest = run.stdout.as_str();
    for moment in [
        "●  fetch 0 started",
        "○  fetch 0 waiting on connect",
        "◆  fetch 0 woken by kernel",
        "►  fetch 0 resumed",
        "○  fetch 0 waiting on readable",
        "ms in which nothing runs",
        "◆  fetch 0 woken by kernel",
        "■  fetch 0 finished ok",
        "peak threads",
    ] {
        let at = rest
            .find(moment)
            .unwrap_or_else(|| panic!("{moment} in {}", run.stdout));
        rest = &rest[at..];
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));

    let run = tiny(&["--trace", "--json", "/bytes/1"]);
    assert_eq!(run.stdout.lines().count(), 1);
    assert!(run.stderr.contains("fetch 0 finished ok"));
}

#[test]
fn the_trace_and_the_results_number_fetches_alike() {
    let run = tiny(&["--trace", "", "/bytes/1"]);
    assert!(run.stdout.contains("fetch 1 finished ok"), "{}", run.stdout);
    assert!(!run.stdout.contains("fetch 0"));
}

#[test]
fn many_fetches_are_summed_up() {
    let run = tiny(&[
        "--trace",
        "--repeat",
        "40",
        "--max-in-flight",
        "20",
        "/bytes/1",
        "",
    ]);
    assert!(
        run.stdout.contains("80: 40 ok, 40 invalid-url"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("64 fetches not shown"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("fetch 78 finished ok"));
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn a_server_cannot_drive_the_terminal() {
    let (_origin, url) = answering(
        "HTTP/1.1 200 OK\r\n\r\n\x1b[31mred\x07\r\u{9b}2J\u{202e}reversed\nsecond".as_bytes(),
    );
    let run = tiny(&[&url]);
    assert!(
        run.stdout
            .contains("\\u{1b}[31mred\\u{7}\\r\\u{9b}2J\\u{202e}reversed\n     second")
    );
    let run = tiny(&["http://a/\u{1b}[2J"]);
    let other_lines = |text: &str| text.replace('\n', "").chars().any(char::is_control);
    assert!(!other_lines(&run.stdout), "{:?}", run.stdout);
}

#[test]
fn what_to_do_next_is_not_what_was_just_done() {
    let trace = "cargo run -p tiny -- --trace";
    assert!(tiny(&[]).stdout.contains(trace));
    let traced = tiny(&["--trace"]).stdout;
    assert!(!traced.contains(trace), "{traced}");
    assert!(traced.contains("Next: a crowd\n  cargo run -p tiny -- --repeat 1000"));
}

#[test]
fn long_and_binary_bodies_are_not_shown() {
    let run = tiny(&["/bytes/513"]);
    assert!(run.stdout.contains("513 bytes"));
    assert!(!run.stdout.contains("abcdef"), "{}", run.stdout);
    let (_origin, url) = answering(b"HTTP/1.1 200 OK\r\n\r\nsecret\xff");
    assert!(!tiny(&[&url]).stdout.contains("secret"));
}

#[test]
fn without_a_terminal_there_is_no_colour() {
    for run in [tiny(&["--trace", "/bytes/1", ""]), tiny(&[])] {
        assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for args in [
        &["--json", "--repeat", "2000", "/bytes/1"][..],
        &["--help"],
        &[],
    ] {
        let mut child = command(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("tiny runs");
        drop(child.stdout.take());
        let mut said = String::new();
        let mut stderr = child.stderr.take().expect("piped");
        stderr.read_to_string(&mut said).expect("UTF-8");
        assert_eq!(
            child.wait().expect("it ends").code(),
            Some(0),
            "{args:?}: {said}"
        );
        assert!(
            !said.contains("ipe") && !said.contains("panic"),
            "{args:?}: {said}"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn results_that_cannot_be_written_are_an_error() {
    let full = std::fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("the device");
    let output = command(&["/bytes/1"])
        .stdout(full)
        .output()
        .expect("tiny runs");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("writing the results failed"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_crowd_of_threads_is_counted_to_the_last_one() {
    let run = tiny(&[
        "--repeat",
        "200",
        "--max-in-flight",
        "200",
        "/delay/1000/16",
    ]);
    assert!(
        run.stdout.contains("peak in flight  200\n"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains("peak threads    201\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("MiB (with the origin server"));
}

#[test]
fn bodies_are_saved_under_the_index() {
    let directory = Directory::new("save");
    let saved = directory.path("new/deep");
    let run = tiny(&["--save", &saved, "", "/bytes/3", "/bytes/70000"]);
    assert_eq!(run.code, Some(1), "the empty URL");
    let length = |name: &str| {
        std::fs::metadata(directory.path(name))
            .ok()
            .map(|file| file.len())
    };
    assert_eq!(length("new/deep/0.body"), None);
    assert_eq!(length("new/deep/1.body"), Some(3));
    assert_eq!(length("new/deep/2.body"), Some(70_000));

    let run = tiny(&["--save", &directory.path("new/deep/1.body/x"), "/bytes/3"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("creating"), "{}", run.stderr);

    std::fs::create_dir(directory.path("new/0.body")).expect("a directory in the way");
    let run = tiny(&["--save", &directory.path("new"), "/bytes/3"]);
    assert_eq!(run.code, Some(1));
    assert!(
        run.stderr.contains("writing") && run.stderr.contains("0.body"),
        "{}",
        run.stderr
    );
}
