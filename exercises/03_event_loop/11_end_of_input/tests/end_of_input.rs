//! The server closes the connection. Is that the end of the response?

use std::io;

use ex11_end_of_input::{Phase, fetch};
use fetch_core::{ErrorKind, FetchError};
use origin::{Config, Origin, Script};

#[test]
fn after_the_last_byte_is_no_news() -> io::Result<()> {
    let result = fetched("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789")?;
    assert_eq!(result, Ok("0123456789".to_owned()));
    Ok(())
}

#[test]
fn inside_a_counted_body_is_an_error() -> io::Result<()> {
    let result = fetched("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n012")?;
    let kind = error_kind(
        result,
        "3 of 10 bytes came, and that passed for a whole response",
    );
    assert_eq!(
        kind,
        ErrorKind::BodyTruncated,
        "the head is whole: it is the body that is not"
    );
    Ok(())
}

#[test]
fn inside_a_chunked_body_is_an_error() -> io::Result<()> {
    let result = fetched("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n012\r\n")?;
    let kind = error_kind(
        result,
        "the last chunk never came, and that passed for a whole response",
    );
    assert_eq!(
        kind,
        ErrorKind::BodyTruncated,
        "the head is whole: it is the body that is not"
    );
    Ok(())
}

#[test]
fn inside_the_head_is_an_error() -> io::Result<()> {
    let result = fetched("HTTP/1.1 200 OK\r\nContent-Len")?;
    let kind = error_kind(result, "no whole head came, and that passed for a response");
    assert_eq!(kind, ErrorKind::Disconnected, "there is no head yet");
    Ok(())
}

#[test]
fn before_anything_has_come_is_an_error() -> io::Result<()> {
    let result = fetched("")?;
    let kind = error_kind(
        result,
        "nothing came at all, and that passed for a response",
    );
    assert_eq!(kind, ErrorKind::Disconnected, "there is no head yet");
    Ok(())
}

/// Without Content-Length and chunks, the body ends where the connection does.
#[test]
fn is_the_end_of_a_body_that_runs_to_the_close() -> io::Result<()> {
    let result = fetched("HTTP/1.1 200 OK\r\n\r\n012")?;
    assert_eq!(
        result,
        Ok("012".to_owned()),
        "this body has no other end than that of the connection"
    );
    Ok(())
}

#[test]
fn after_a_response_without_a_body_is_no_news() -> io::Result<()> {
    for head in [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ] {
        assert_eq!(fetched(head)?, Ok(String::new()));
    }
    Ok(())
}

#[test]
fn when_all_is_done_changes_nothing() {
    let response = fetch_core::Response::new("here".into());
    let result = Phase::Done(response).on_end_of_input();
    let body = result.map(|response| response.into_body());
    assert_eq!(body, Ok("here".into()));
}

#[test]
fn is_something_else_than_a_reset() -> io::Result<()> {
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\n\r\n012")
        .pause(std::time::Duration::from_millis(100))
        .reset();
    let result = fetched_from(script)?;
    let kind = error_kind(
        result,
        "the server broke the connection off, and that passed for its end",
    );
    // Some systems drop what they have received, the head too.
    let kinds = [ErrorKind::BodyTruncated, ErrorKind::Disconnected];
    assert!(kinds.contains(&kind), "{kind:?}");
    Ok(())
}

/// The body, if the server sends these bytes and closes.
fn fetched(bytes: &'static str) -> io::Result<Result<String, FetchError>> {
    fetched_from(Script::new().expect_request().send(bytes).close())
}

fn fetched_from(script: Script) -> io::Result<Result<String, FetchError>> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(script)?;
    let result = fetch(&format!("http://{address}/"));
    Ok(result.map(|response| String::from_utf8_lossy(response.body()).into_owned()))
}

/// Which error it is, said aloud; a response is not what was expected.
fn error_kind(result: Result<String, FetchError>, otherwise: &str) -> ErrorKind {
    match result {
        Ok(body) => panic!("{otherwise}, with the body {body:?}"),
        Err(error) => {
            eprintln!("{error}");
            error.kind()
        }
    }
}
