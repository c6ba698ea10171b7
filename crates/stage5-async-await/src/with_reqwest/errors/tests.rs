//! Each row of the table, provoked over a socket: the kind that comes of it,
//! and that it was this row which decided.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use fetch_core::{ErrorKind as Kind, Resolve};
use origin::{Config, Origin, Script};
use tokio::runtime;

use super::*;
use crate::with_reqwest::{client, to_reqwest};

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const COUNTED: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe";

/// Nobody has this name.
#[derive(Debug)]
struct NoNames;

impl Resolve for NoNames {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        Err(io::Error::other("no such name"))
    }
}

fn options() -> Options {
    Options {
        deadline: Duration::from_secs(20),
        resolver: Arc::new(NoNames),
        ..Options::default()
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}

/// The error of one fetch, and where it came up.
async fn fail(request: &Request, options: &Options) -> (Phase, reqwest::Error) {
    let client = client(options).unwrap();
    let mut response = match client.execute(to_reqwest(request).unwrap()).await {
        Ok(response) => response,
        Err(error) => return (Phase::Head, error),
    };
    loop {
        match response.chunk().await {
            Ok(piece) => assert!(piece.is_some(), "the body is complete"),
            Err(error) => return (Phase::Body, error),
        }
    }
}

#[track_caller]
fn check(
    request: &Request,
    options: &Options,
    phase: Phase,
    decides: impl Fn(&reqwest::Error) -> bool,
    kind: Kind,
) {
    let (failed_in, error) = block_on(fail(request, options));
    assert_eq!(failed_in, phase, "{error:?}");
    assert!(decides(&error), "{error:?}");
    let judged = judge(&error, phase, request, options);
    assert_eq!(judged.kind(), kind, "{error:?}");
}

/// Checks a row against a server that plays `script`.
#[track_caller]
fn row(script: Script, phase: Phase, decides: impl Fn(&reqwest::Error) -> bool, kind: Kind) {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.listen(script).unwrap();
    let request = Request::get(&format!("http://{address}/")).unwrap();
    check(&request, &options(), phase, decides, kind);
}

fn answer(bytes: impl Into<bytes::Bytes>) -> Script {
    Script::new().expect_request().send(bytes)
}

fn io_kind(error: &reqwest::Error) -> Option<ErrorKind> {
    find::<io::Error>(error).map(io::Error::kind)
}

#[test]
fn timeout() {
    let hurried = Options {
        deadline: Duration::from_millis(100),
        ..options()
    };
    let origin = Origin::start(Config::default()).unwrap();
    for (script, phase) in [
        (Script::new().expect_request().stall(), Phase::Head),
        (answer(COUNTED).stall(), Phase::Body),
    ] {
        let address = origin.listen(script).unwrap();
        let request = Request::get(&format!("http://{address}/")).unwrap();
        let decides = reqwest::Error::is_timeout;
        check(&request, &hurried, phase, decides, Kind::Timeout);
    }
}

/// Our requests are checked when they are made, so reqwest is given another.
#[test]
fn builder() {
    let request = Request::get("http://127.0.0.1/").unwrap();
    let sent = client(&options()).unwrap().get("mailto:somebody").send();
    let error = block_on(sent).unwrap_err();
    assert!(error.is_builder(), "{error:?}");
    let judged = judge(&error, Phase::Head, &request, &options());
    assert_eq!(judged.kind(), Kind::InvalidRequest);
}

#[test]
fn resolver() {
    let request = Request::get("http://nowhere.test/").unwrap();
    let decides = |error: &_| find::<FetchError>(error).is_some();
    check(&request, &options(), Phase::Head, decides, Kind::DnsFailure);
}

#[test]
fn too_large() {
    let fields = "a: b\r\n".repeat(101);
    let script = answer(format!("HTTP/1.1 200 OK\r\n{fields}\r\n")).close();
    let decides = |error: &_| hyper_says(error, hyper::Error::is_parse_too_large);
    row(script, Phase::Head, decides, Kind::HeadTooLarge);
}

#[test]
fn parse() {
    let decides = |error: &_| hyper_says(error, hyper::Error::is_parse);
    for head in [
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ] {
        row(
            answer(head).close(),
            Phase::Head,
            decides,
            Kind::InvalidHead,
        );
    }
}

#[test]
fn refused() {
    let gone = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = gone.local_addr().unwrap();
    drop(gone);
    let request = Request::get(&format!("http://{address}/")).unwrap();
    let decides = |error: &_| {
        reqwest::Error::is_connect(error) && io_kind(error) == Some(ErrorKind::ConnectionRefused)
    };
    check(
        &request,
        &options(),
        Phase::Head,
        decides,
        Kind::ConnectRefused,
    );
}

/// Where the end comes before hyper has taken the request up, it says that the
/// request was cancelled, and why below that; which of the two is a race.
#[test]
fn incomplete_head() {
    let decides = |error: &_| hyper_says(error, hyper::Error::is_incomplete_message);
    let cut = answer("HTTP/1.1 200 OK\r\nContent-").close();
    row(cut, Phase::Head, decides, Kind::Disconnected);
    let decides = |error: &_| decides(error) || io_kind(error) == Some(ErrorKind::ConnectionReset);
    for _ in 0..50 {
        let closed_at_once = Script::new().close();
        row(closed_at_once, Phase::Head, decides, Kind::Disconnected);
    }
}

#[test]
fn reset_before_the_head() {
    let decides = |error: &_| io_kind(error) == Some(ErrorKind::ConnectionReset);
    let script = Script::new().expect_request().reset();
    row(script, Phase::Head, decides, Kind::Disconnected);
    // In the midst of connecting, if the server is quick.
    for _ in 0..50 {
        let script = Script::new().reset();
        row(script, Phase::Head, decides, Kind::Disconnected);
    }
}

#[test]
fn truncated_body() {
    let end = |error: &_| io_kind(error) == Some(ErrorKind::UnexpectedEof);
    for cut in [COUNTED.to_owned(), format!("{CHUNKED}5\r\nhe")] {
        row(answer(cut).close(), Phase::Body, end, Kind::BodyTruncated);
    }

    let reset = |error: &_| io_kind(error) == Some(ErrorKind::ConnectionReset);
    let cut = answer(COUNTED).pause(Duration::from_millis(50)).reset();
    row(cut, Phase::Body, reset, Kind::BodyTruncated);
}

#[test]
fn invalid_chunk() {
    let input = |error: &_| io_kind(error) == Some(ErrorKind::InvalidInput);
    let no_size = answer(format!("{CHUNKED}x\r\n")).close();
    row(no_size, Phase::Body, input, Kind::InvalidChunk);

    let data = |error: &_| io_kind(error) == Some(ErrorKind::InvalidData);
    let extension = format!("{CHUNKED}1;{}", "e".repeat(20_000));
    row(
        answer(extension).close(),
        Phase::Body,
        data,
        Kind::InvalidChunk,
    );
}

/// A server that answers before it is asked: reqwest takes that for a broken
/// connection, unless its own request is quicker.
#[test]
fn anything_else() {
    let origin = Origin::start(Config::default()).unwrap();
    let script = Script::new()
        .send("HTTP/1.1 204 No Content\r\n\r\n")
        .stall();
    let address = origin.listen(script).unwrap();
    let request = Request::get(&format!("http://{address}/")).unwrap();
    for _ in 0..1000 {
        let sent = async {
            client(&options())
                .unwrap()
                .execute(to_reqwest(&request).unwrap())
                .await
        };
        if let Err(error) = block_on(sent) {
            let judged = judge(&error, Phase::Head, &request, &options());
            assert_eq!(judged.kind(), Kind::Io, "{error:?}");
            return;
        }
    }
    panic!("reqwest was quicker each time");
}
