//! A fetch that is polled, and is there where it stopped when it is polled
//! again.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::net::{SocketAddr, TcpListener};
use std::pin::pin;
use std::time::Duration;

use ex14_future_by_hand::fetch;
use fetch_core::{ErrorKind, FetchError, Request, Response};
use origin::{Config, Origin, Script};
use stage4_hand_rolled_future::runtime::Runtime;

type TestResult = Result<(), Box<dyn Error>>;

const MEBIBYTE: usize = 1 << 20;

#[test]
fn a_refused_connection_is_an_error() -> TestResult {
    // Nobody listens there any more.
    let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let runtime = Runtime::new()?;
    let result = runtime.block_on(fetch(runtime.reactor(), address, get(address)?))?;
    let kind = result.map(drop).map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::ConnectRefused));
    Ok(())
}

#[test]
fn a_response_arrives() -> TestResult {
    let script = Script::new().expect_request().send(response("hello"));
    assert_eq!(body(fetch_from(script.close())?)?, "hello");
    Ok(())
}

#[test]
fn a_head_in_three_pieces() -> TestResult {
    let pause = Duration::from_millis(50);
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nConte")
        .pause(pause)
        .send("nt-Length: 5\r\n\r")
        .pause(pause)
        .send("\nhello")
        .close();
    let body = body(fetch_from(script)?)?;
    assert_eq!(body, "hello", "what had come is to be kept while it waits");
    Ok(())
}

/// The server reads nothing for a while: the system takes some of the request,
/// and then has no more room.
#[test]
fn a_large_request_goes_out_in_parts() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let script = Script::new()
        .expect_head()
        .pause(Duration::from_millis(100))
        .expect_request()
        .send(response("ok"))
        .close();
    let address = origin.listen(script)?;
    let no_fields: [(&str, &str); 0] = [];
    let url = format!("http://{address}/");
    let request = Request::new("POST", &url, no_fields, vec![b'x'; 16 * MEBIBYTE])?;
    let wanted = bytes::Buf::remaining(&request.encode()) as u64;
    let runtime = Runtime::new()?;
    let response = runtime.block_on(fetch(runtime.reactor(), address, request))??;
    assert_eq!(response.body().as_ref(), b"ok");
    let received: u64 = origin.journal().iter().map(|c| c.request_bytes).sum();
    assert_eq!(received, wanted, "the origin received other bytes");
    Ok(())
}

#[test]
fn a_large_response_comes_in_parts() -> TestResult {
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n")
        .fill(250_000)
        .pause(Duration::from_millis(50))
        .fill(250_000)
        // The response has to be known as complete without the end of input.
        .stall();
    let body = body(fetch_from(script)?)?;
    assert_eq!(body.len(), 500_000);
    Ok(())
}

#[test]
fn a_response_that_is_cut_off_is_an_error() -> TestResult {
    let cut = |bytes: &'static str| fetch_from(Script::new().expect_request().send(bytes).close());
    let in_head = cut("HTTP/1.1 200 OK\r\nConte")?.map(drop);
    assert_eq!(
        in_head.map_err(|error| error.kind()),
        Err(ErrorKind::Disconnected)
    );
    let in_body = cut("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe")?.map(drop);
    assert_eq!(
        in_body.map_err(|error| error.kind()),
        Err(ErrorKind::BodyTruncated)
    );
    let at_the_close = cut("HTTP/1.1 200 OK\r\n\r\nhello")?;
    assert_eq!(body(at_the_close)?, "hello");
    Ok(())
}

/// Whoever polls a `select!` polls all its branches, for whichever it was
/// woken.
#[test]
fn polling_it_for_no_reason_does_no_harm() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let address = origin.address();
    let request = Request::get(&origin.url("/drip/20/5"))?;
    let runtime = Runtime::new()?;
    let mut fetch = pin!(fetch(runtime.reactor(), address, request));
    let response = runtime.block_on(poll_fn(|cx| {
        for _ in 0..3 {
            let polled = fetch.as_mut().poll(cx);
            if polled.is_ready() {
                return polled;
            }
        }
        fetch.as_mut().poll(cx)
    }))??;
    assert_eq!(response.body().len(), 20);
    Ok(())
}

#[test]
fn waiting_takes_no_polls() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let address = origin.address();
    let request = Request::get(&origin.url("/delay/200/16"))?;
    let runtime = Runtime::new()?;
    let mut fetch = pin!(fetch(runtime.reactor(), address, request));
    let mut polls = 0;
    let response = runtime.block_on(poll_fn(|cx| {
        polls += 1;
        fetch.as_mut().poll(cx)
    }))??;
    assert_eq!(response.body().len(), 16);
    eprintln!("200 ms of waiting: {polls} polls");
    // Three, and some for events that were of no use.
    assert!(
        polls < 10,
        "{polls} polls: something woke the task while there was nothing to do"
    );
    Ok(())
}

/// What a fetch gives from an origin that follows `script`.
fn fetch_from(script: Script) -> Result<Result<Response, FetchError>, Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(script)?;
    let runtime = Runtime::new()?;
    Ok(runtime.block_on(fetch(runtime.reactor(), address, get(address)?))?)
}

fn get(address: SocketAddr) -> Result<Request, FetchError> {
    Request::get(&format!("http://{address}/"))
}

fn response(body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn body(result: Result<Response, FetchError>) -> Result<String, FetchError> {
    result.map(|response| String::from_utf8_lossy(response.body()).into_owned())
}
