//! A command line that is not understood says what and how, and fetches nothing.

mod tiny;

use tiny::tiny;

fn check(args: &[&str], expected: &[&str]) {
    let run = tiny(args);
    assert_eq!(run.code, Some(2), "{args:?}: {}", run.stderr);
    assert_eq!(run.stdout, "", "{args:?}");
    for part in expected {
        assert!(
            run.stderr.contains(part),
            "{args:?}: {part:?} in {}",
            run.stderr
        );
    }
}

#[test]
fn unknown_options() {
    check(
        &["--repaet", "3", "/"],
        &["--repaet", "did you mean --repeat?"],
    );
    check(
        &["/", "--max-inflight=3"],
        &["did you mean --max-in-flight?"],
    );
    check(&["--clint", "plain"], &["did you mean --client?"]);
    check(&["-x"], &["unknown option -x"]);
    let run = tiny(&["--completely-different"]);
    assert!(!run.stderr.contains("did you mean"), "{}", run.stderr);
}

#[test]
fn values_that_are_missing_or_too_many() {
    check(&["/", "--repeat"], &["--repeat needs a value: --repeat N"]);
    check(&["--json=yes", "/"], &["--json"]);
    check(
        &["/", "--save", ""],
        &["--save needs the name of a directory"],
    );
}

#[test]
fn headers_without_a_colon() {
    check(&["--header", "accept", "/"], &["no colon", "'name: value'"]);
    check(&["--header", "", "/"], &["no colon"]);
}

#[test]
fn numbers() {
    for value in ["0", "-1", "+1", "1.5", "", "x", "99999999999999999999999"] {
        check(
            &["/", "--max-in-flight", value],
            &["--max-in-flight must be 1 or more", value],
        );
        check(
            &["/", "--repeat", value],
            &["--repeat must be 1 or more", value],
        );
    }
    for value in ["-1", "nan", "inf", "-inf", "1e400", "1e20", "", "2s"] {
        check(
            &["/", "--deadline", value],
            &["--deadline must be seconds", value],
        );
    }
    check(
        &["/", "--max-body", "-1"],
        &["--max-body must be a number of bytes"],
    );
    check(
        &["/", "--max-body", "64M"],
        &["--max-body must be a number of bytes"],
    );
}

#[test]
fn more_fetches_than_fit() {
    check(
        &["/", "--repeat", "1000000000000"],
        &["1000000000000 fetches", "lower --repeat"],
    );
    // Twice this is 2, if the product is not looked after.
    #[cfg(target_pointer_width = "64")]
    check(
        &["/", "/", "--repeat", "9223372036854775809"],
        &["lower --repeat"],
    );
}

#[test]
fn data_that_cannot_be_read() {
    check(
        &["--data", "@/no/such/file", "/"],
        &["cannot read the file", "/no/such/file"],
    );
    check(&["--data", "@", "/"], &["cannot read the file"]);
}

#[test]
fn options_that_say_nothing_without_a_url() {
    check(&["--repeat", "3"], &["--repeat needs a URL, such as /"]);
    check(&["--header", "a: b", "--json"], &["--header needs a URL"]);
}

#[test]
fn values_that_the_stage_refuses() {
    check(&["--client", "none"], &["--client must be plain"]);
    assert_eq!(tiny(&["--client", "plain", "/bytes/1"]).code, Some(0));
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let url = std::ffi::OsStr::from_bytes(b"/\xff");
    let output = tiny::command(&[]).arg(url).output().expect("tiny runs");
    assert_eq!(output.status.code(), Some(2));
    // A header's value is bytes, though.
    let header = std::ffi::OsStr::from_bytes(b"x: \xff");
    let output = tiny::command(&["/bytes/1", "--header"])
        .arg(header)
        .output();
    assert_eq!(output.expect("tiny runs").status.code(), Some(0));
}

#[test]
fn help_says_what_there_is() {
    let run = tiny(&["--json", "--help"]);
    assert_eq!(run.code, Some(0));
    for part in [
        "Usage: tiny [OPTIONS] [URL...]",
        "--client plain|none",
        "--max-in-flight N",
        "Exit code",
        "Where did the work stop?\n  In a call to read",
    ] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 100));
    assert_eq!(tiny(&["--version"]).stdout, "tiny 0.1.0\n");
}
