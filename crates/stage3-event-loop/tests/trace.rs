//! The trace tells each fetch's story in the words and the order of
//! `fetch_core::wait`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use conformance::trace::listen;
use fetch_core::{OnError, Options, Request, Resolve, Stage};
use origin::{Config, Origin, Script};
use stage3_event_loop::EventLoop;

#[test]
fn a_fetch_waits_for_its_name_its_connection_and_its_answer() {
    let origin = Origin::start(Config::default()).unwrap();
    // Head and body in one write, so that it waits for them once.
    let port = origin.address().port();
    let url = format!("http://localhost:{port}/users/42/profile");
    let options = Options {
        resolver: Arc::new(Only(origin.address())),
        ..Options::default()
    };
    let request = Request::get(&url).unwrap();
    let (results, trace) = listen(|| EventLoop.fetch_all(vec![request], &options));
    assert!(results[0].is_ok());
    assert_eq!(
        trace.of(0).join(", "),
        "started, waiting name, woken resolver, resumed, waiting connect, woken reactor, resumed, \
         waiting readable, woken reactor, resumed, finished ok"
    );
}

#[test]
fn a_fetch_ends_by_timer_or_by_a_sibling() {
    let origin = Origin::start(Config::default()).unwrap();
    let urls = ["/delay/10000/1", "/delay/10000/2"].map(|path| origin.url(path));
    let options = Options {
        deadline: Duration::from_millis(200),
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    let requests = urls.iter().map(|url| Request::get(url).unwrap()).collect();
    let (_, trace) = listen(|| EventLoop.fetch_all(requests, &options));
    assert_eq!(
        trace.end_of(0, 4).join(", "),
        "waiting readable, woken timer, resumed, finished timeout"
    );
    // It is taken away where it waits: nobody wakes it.
    assert_eq!(
        trace.end_of(1, 2).join(", "),
        "waiting readable, finished cancelled"
    );
}

/// started (waiting woken resumed)* finished, whatever happens: with partial
/// writes, turns that are too short, and addresses that refuse.
#[test]
fn a_fetch_never_runs_while_it_waits() {
    let origin = Origin::start(Config::default()).unwrap();
    let late = Script::new()
        .expect_head()
        .pause(Duration::from_millis(100))
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    origin.script("late", late).unwrap();
    let no_fields: [(&str, &str); 0] = [];
    let url = origin.url("/case/late");
    let requests = vec![
        Request::new("POST", &url, no_fields, vec![b'x'; 8 << 20]).unwrap(),
        Request::get(&origin.url("/bytes/5000000")).unwrap(),
        Request::get(&origin.url("/drip/20/1")).unwrap(),
        Request::get("http://127.0.0.1:1/").unwrap(),
    ];
    let fetches = requests.len();
    let (_, trace) = listen(|| EventLoop.fetch_all(requests, &Options::default()));
    assert!(trace.of(0).contains(&"waiting writable"));
    for fetch in 0..fetches {
        trace.check_order(fetch).unwrap();
    }
}

/// Knows one address, whatever the name.
#[derive(Debug)]
struct Only(SocketAddr);

impl Resolve for Only {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![self.0])
    }
}
