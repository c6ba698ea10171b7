//! Names are looked up beside the loop, and addresses tried in turn.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use conformance::connections_made;
use fetch_core::{ErrorKind, FetchError, Options, Request, Resolve, Response, Stage};
use origin::{Config, Origin};
use stage3_event_loop::EventLoop;

/// Resolves names by a function.
struct Names<F>(F);

impl<F> std::fmt::Debug for Names<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Names")
    }
}

impl<F> Resolve for Names<F>
where
    F: Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync,
{
    fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        (self.0)(host)
    }
}

fn options<F>(deadline_ms: u64, names: F) -> Options
where
    F: Fn(&str) -> io::Result<Vec<SocketAddr>> + Send + Sync + 'static,
{
    Options {
        deadline: Duration::from_millis(deadline_ms),
        resolver: Arc::new(Names(names)),
        ..Options::default()
    }
}

fn kind(result: &Result<Response, FetchError>) -> Option<ErrorKind> {
    result.as_ref().err().map(FetchError::kind)
}

#[test]
fn a_resolver_that_never_answers_holds_nobody() {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();
    let options = options(400, move |host| {
        if host == "never.test" {
            thread::sleep(Duration::from_secs(60));
        }
        Ok(vec![address])
    });
    let urls = ["http://never.test/bytes/1", "http://quick.test/bytes/2"];
    let requests = urls.map(|url| Request::get(url).unwrap());
    let start = Instant::now();
    let results = EventLoop.fetch_all(requests.into(), &options);
    assert!(start.elapsed() < Duration::from_secs(3));
    assert_eq!(kind(&results[0]), Some(ErrorKind::Timeout));
    assert_eq!(results[1].as_ref().unwrap().body().len(), 2);
}

/// The first fetch times out, and the second gets its slot. The answer for the
/// first comes while the second waits for its own.
#[test]
fn an_answer_that_comes_too_late_is_nobody_elses() {
    let origin = Origin::start(Config::default()).unwrap();
    let wrong = Origin::start(Config::default()).unwrap();
    let (right_address, wrong_address) = (origin.address(), wrong.address());
    let options = Options {
        max_in_flight: 1.try_into().unwrap(),
        ..options(400, move |host| {
            if host == "first.test" {
                thread::sleep(Duration::from_millis(500));
                return Ok(vec![wrong_address]);
            }
            thread::sleep(Duration::from_millis(300));
            Ok(vec![right_address])
        })
    };
    let urls = ["http://first.test/bytes/1", "http://second.test/bytes/2"];
    let requests = urls.map(|url| Request::get(url).unwrap());
    let results = EventLoop.fetch_all(requests.into(), &options);
    assert_eq!(kind(&results[0]), Some(ErrorKind::Timeout));
    assert_eq!(results[1].as_ref().unwrap().body().len(), 2);
    assert_eq!(connections_made(&origin), Ok(1));
    assert_eq!(connections_made(&wrong), Ok(0));
}

#[test]
fn what_a_resolver_can_do_wrong_is_a_dns_failure() {
    let options = options(5000, |host| match host {
        "panics.test" => panic!("on purpose"),
        "fails.test" => Err(io::Error::other("on purpose")),
        _ => Ok(Vec::new()),
    });
    let urls = [
        "http://panics.test/",
        "http://fails.test/",
        "http://no.test/",
    ];
    let requests = urls.map(|url| Request::get(url).unwrap());
    let start = Instant::now();
    for result in EventLoop.fetch_all(requests.into(), &options) {
        assert_eq!(kind(&result), Some(ErrorKind::DnsFailure));
    }
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn the_next_address_is_tried_when_one_refuses() {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();
    // Bound, so that nobody else can listen there, and not listening.
    let refusing =
        socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    refusing
        .bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())
        .unwrap();
    let refused = refusing.local_addr().unwrap().as_socket().unwrap();
    let options = options(5000, move |host| {
        Ok(match host {
            "all.test" => vec![refused, refused],
            _ => vec![refused, refused, address],
        })
    });
    let urls = ["http://some.test/bytes/1", "http://all.test/"];
    let requests = urls.map(|url| Request::get(url).unwrap());
    let results = EventLoop.fetch_all(requests.into(), &options);
    assert_eq!(results[0].as_ref().unwrap().body().len(), 1);
    assert_eq!(kind(&results[1]), Some(ErrorKind::ConnectRefused));
}

/// With its backlog full a listener on Linux answers no more, which is the only
/// silence to be had on loopback.
#[cfg(target_os = "linux")]
#[test]
fn a_silent_address_gets_its_share_of_the_time_and_no_more() {
    let origin = Origin::start(Config::default()).unwrap();
    let address = origin.address();
    let full = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    full.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())
        .unwrap();
    full.listen(0).unwrap();
    let silent = full.local_addr().unwrap().as_socket().unwrap();
    let in_backlog: Vec<_> = (0..3)
        .map(|_| std::net::TcpStream::connect_timeout(&silent, Duration::from_millis(100)))
        .collect();
    assert!(in_backlog.iter().any(Result::is_err), "it still answers");

    let options = options(1500, move |host| {
        Ok(match host {
            "all.test" => vec![silent, silent],
            _ => vec![silent, silent, address],
        })
    });
    let urls = ["http://some.test/bytes/1", "http://all.test/"];
    let requests = urls.map(|url| Request::get(url).unwrap());
    let start = Instant::now();
    let results = EventLoop.fetch_all(requests.into(), &options);
    assert_eq!(results[0].as_ref().unwrap().body().len(), 1);
    assert_eq!(kind(&results[1]), Some(ErrorKind::Timeout));
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(1500), "{elapsed:?}");
    assert!(elapsed < Duration::from_secs(5), "{elapsed:?}");
}
