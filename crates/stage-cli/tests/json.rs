//! `--json` is an interface for other programs: every field is checked.

mod tiny;

use serde_json::{Value, json};
use tiny::{Directory, Run, answering, tiny};

/// The lines of a run, each without `elapsed_ms`, which is checked here.
fn lines(run: &Run) -> Vec<Value> {
    let parse = |line: &str| {
        let mut value: Value = serde_json::from_str(line).expect("a line of JSON");
        let elapsed = value
            .as_object_mut()
            .and_then(|object| object.remove("elapsed_ms"));
        assert!(elapsed.is_some_and(|ms| ms.is_f64()), "{line}");
        value
    };
    run.stdout.lines().map(parse).collect()
}

fn fields(run: &Run, name: &str) -> Vec<Value> {
    lines(run).iter().map(|line| line[name].clone()).collect()
}

#[test]
fn a_response_has_every_field() {
    let (_origin, url) = answering(
        b"HTTP/1.0 203 Fine\r\nX-B: 2\r\nA: caf\xe9 \"\\\r\nx-b: 1\r\nContent-Length: 5\r\n\r\nhello",
    );
    let run = tiny(&[&url, "--json"]);
    let headers = json!([
        ["a", "caf\u{e9} \"\\"],
        ["content-length", "5"],
        ["x-b", "2"],
        ["x-b", "1"]
    ]);
    assert_eq!(
        lines(&run),
        [json!({
            "index": 0, "method": "GET", "url": url, "outcome": "ok", "status": 203,
            "version": "HTTP/1.0", "headers": headers, "body_len": 5
        })]
    );
    let start = format!(r#"{{"index":0,"method":"GET","url":"{url}","outcome":"ok","status":203,"#);
    assert!(
        run.stdout.starts_with(&start),
        "in this order: {}",
        run.stdout
    );
    assert!(
        run.stderr.contains("1, all ok"),
        "the summary: {}",
        run.stderr
    );
    assert_eq!(run.code, Some(0));
}

#[test]
fn an_error_has_every_field() {
    let (_origin, url) = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell");
    let run = tiny(&["--json", &url]);
    let mut line = lines(&run).remove(0);
    let message = line
        .as_object_mut()
        .and_then(|object| object.remove("message"));
    assert!(message.is_some_and(|message| message.is_string()));
    assert_eq!(
        line,
        json!({"index": 0, "method": "GET", "url": url, "outcome": "error", "kind": "body-truncated"})
    );
    assert_eq!(run.code, Some(1));
}

#[test]
fn what_cannot_be_sent_keeps_its_place() {
    let run = tiny(&[
        "--json",
        "",
        "/bytes/1",
        "https://a/",
        "/bytes/2",
        "http://a b/",
        "/bytes/3",
    ]);
    let kinds = json!([
        "invalid-url",
        null,
        "unsupported-scheme",
        null,
        "invalid-url",
        null
    ]);
    assert_eq!(json!(fields(&run, "kind")), kinds);
    assert_eq!(
        json!(fields(&run, "body_len")),
        json!([null, 1, null, 2, null, 3])
    );
    assert_eq!(json!(fields(&run, "index")), json!([0, 1, 2, 3, 4, 5]));
    assert_eq!(run.code, Some(1));
}

#[test]
fn requests_that_may_not_be_made_are_errors_of_the_fetch() {
    for option in [
        ["--method", "CONNECT"],
        ["--method", ""],
        ["--header", "Host: elsewhere"],
        ["--header", "bad name: 1"],
        ["--header", "x: a\r\nsmuggled: 1"],
        ["--header", "x: 1\n"],
    ] {
        let run = tiny(&["--json", option[0], option[1], "/echo"]);
        assert_eq!(fields(&run, "kind"), ["invalid-request"], "{option:?}");
        assert_eq!(run.code, Some(1));
    }
}

#[test]
fn the_list_is_repeated_as_a_whole() {
    let run = tiny(&[
        "--json",
        "/bytes/1",
        "/bytes/2",
        "--repeat",
        "2",
        "--max-in-flight",
        "3",
    ]);
    assert_eq!(fields(&run, "body_len"), [1, 2, 1, 2]);
    assert_eq!(fields(&run, "index"), [0, 1, 2, 3]);
}

#[test]
fn the_request_is_what_was_asked_for() {
    let directory = Directory::new("request");
    let data = directory.path("data");
    std::fs::write(&data, b"a\0b").expect("a file");
    let at_data = format!("@{data}");
    for (args, starts, has) in [
        (&["--data", "text"][..], "POST /echo ", "content-length: 4"),
        (&["--data", &at_data], "POST /echo ", "content-length: 3"),
        (
            &["--data", "x", "--method", "PUT"],
            "PUT /echo ",
            "content-length: 1",
        ),
        (
            &["--header", "X-A:  1 ", "--header", "x-a:2"],
            "GET /echo ",
            "x-a: 1\r\nx-a: 2\r\n",
        ),
    ] {
        let saved = directory.path("bodies");
        let run = tiny(&[args, &["--json", "--save", &saved, "/echo"]].concat());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let head = std::fs::read_to_string(directory.path("bodies/0.body")).expect("a body");
        assert!(head.starts_with(starts), "{head}");
        assert!(head.contains(has), "{head}");
    }
}

#[test]
fn limits_are_the_fetches_own() {
    let run = tiny(&["--json", "--max-body", "10", "/bytes/10", "/bytes/11"]);
    assert_eq!(json!(fields(&run, "kind")), json!([null, "body-too-large"]));
    let run = tiny(&["--json", "--deadline", "0.05", "/delay/2000/1"]);
    assert_eq!(fields(&run, "kind"), ["timeout"]);
    let run = tiny(&["--json", "--deadline", "1e19", "/bytes/1"]);
    assert_eq!(run.code, Some(0));
}

#[test]
fn times_are_those_of_the_fetch() {
    let run = tiny(&["--json", "", "/delay/100/1"]);
    let elapsed = |line: &str| -> f64 {
        let value: Value = serde_json::from_str(line).expect("JSON");
        value["elapsed_ms"].as_f64().expect("a number")
    };
    let elapsed: Vec<f64> = run.stdout.lines().map(elapsed).collect();
    assert_eq!(elapsed[0], 0.0, "it never started");
    assert!(elapsed[1] >= 100.0, "{elapsed:?}");
}

#[test]
fn the_default_run_is_four_lines() {
    let run = tiny(&["--json"]);
    assert_eq!(fields(&run, "index"), [0, 1, 2, 3]);
    assert_eq!(fields(&run, "status"), [200, 200, 200, 200]);
    assert!(run.stderr.contains("Who makes it continue?"));
    assert_eq!(run.code, Some(0));
}

#[test]
fn with_an_origin_of_its_own_the_default_run_uses_it() {
    let run = tiny(&["--json", "--origin", "http://127.0.0.1:1/"]);
    assert_eq!(fields(&run, "kind"), ["connect-refused"; 4]);
    assert_eq!(fields(&run, "url")[1], "http://127.0.0.1:1/users/42/orders");
    assert_eq!(run.code, Some(1));

    let run = tiny(&["--json", "--origin", "not a url"]);
    assert_eq!(fields(&run, "kind"), ["invalid-url"; 4]);
}
