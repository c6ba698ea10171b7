//! What the server does. Only scripts whose outcome is certain: nothing here
//! depends on which of two things happens first.

use std::time::Duration;

use fetch_core::ErrorKind;
use origin::Script;

/// What is served, with what comes of it: the length of a body, or an error.
pub(crate) type Outcome = Result<usize, ErrorKind>;

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// What has been sent before a reset has been read by then.
const BEFORE_RESET: Duration = Duration::from_millis(100);

/// Scripts that end by themselves.
pub(crate) fn ending() -> Vec<(&'static str, Script, Outcome)> {
    let answer = |text: String| Script::new().expect_request().send(text);
    let counted = |length| answer(format!("{OK}Content-Length: {length}\r\n\r\n"));
    let every = Duration::from_millis(2);
    vec![
        ("counted", counted(5).send("hello").close(), Ok(5)),
        ("empty", counted(0).stall(), Ok(0)),
        ("open", counted(5).send("hello").stall(), Ok(5)),
        ("large", counted(300_000).fill(300_000).close(), Ok(300_000)),
        ("drip", counted(20).drip(20, every).close(), Ok(20)),
        (
            "to-close",
            answer(format!("{OK}\r\n")).fill(70_000).fin(),
            Ok(70_000),
        ),
        (
            "chunked",
            answer(format!("{CHUNKED}5\r\nhello\r\n0\r\n\r\n")).close(),
            Ok(5),
        ),
        (
            "interim",
            answer(format!("HTTP/1.1 103 Wait\r\n\r\n{OK}\r\nhello")).close(),
            Ok(5),
        ),
        (
            "no-answer",
            Script::new().expect_request().close(),
            Err(ErrorKind::Disconnected),
        ),
        (
            "reset",
            Script::new().expect_request().reset(),
            Err(ErrorKind::Disconnected),
        ),
        (
            "half-head",
            answer("HTTP/1.1 200 OK\r\nA".into()).close(),
            Err(ErrorKind::Disconnected),
        ),
        (
            "no-http",
            answer("220 smtp.test ready\r\n\r\n".into()).stall(),
            Err(ErrorKind::InvalidHead),
        ),
        (
            "bad-length",
            answer(format!("{OK}Content-Length: +5\r\n\r\n")).stall(),
            Err(ErrorKind::InvalidHead),
        ),
        (
            "bad-chunk",
            answer(format!("{CHUNKED}5\r\nhello\r\nx")).stall(),
            Err(ErrorKind::InvalidChunk),
        ),
        (
            "truncated",
            counted(9).send("hello").close(),
            Err(ErrorKind::BodyTruncated),
        ),
        (
            "half-chunk",
            answer(format!("{CHUNKED}9\r\nhello")).fin(),
            Err(ErrorKind::BodyTruncated),
        ),
        (
            "torn",
            counted(9).send("hello").pause(BEFORE_RESET).reset(),
            Err(ErrorKind::BodyTruncated),
        ),
        (
            "too-large",
            counted(u64::MAX / 2).stall(),
            Err(ErrorKind::BodyTooLarge),
        ),
    ]
}

/// Scripts that never do.
pub(crate) fn stalling() -> Vec<(&'static str, Script)> {
    let answer = |text: &str| Script::new().expect_request().send(text.to_owned());
    let second = Duration::from_secs(1);
    vec![
        ("silent", Script::new().expect_request().stall()),
        (
            "stalled-head",
            answer("HTTP/1.1 200 OK\r\nA: b\r\n").stall(),
        ),
        (
            "stalled-body",
            answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello").stall(),
        ),
        (
            "stalled-close",
            answer("HTTP/1.1 200 OK\r\n\r\nhello").stall(),
        ),
        ("stalled-chunk", answer(CHUNKED).send("9\r\nhello").stall()),
        (
            "endless",
            answer("HTTP/1.1 200 OK\r\n\r\n").drip(600, second).stall(),
        ),
    ]
}
