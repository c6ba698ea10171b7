//! What is particular to this stage's two functions: many futures on one
//! thread, and all of them ended by dropping them.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::{ErrorKind, FetchError, OnError, Options, Request, Resolve, Stage};
use origin::{Config, Origin, Script};
use stage5_async_await::{AsyncAwait, Client};

const BOTH: [AsyncAwait; 2] = [
    AsyncAwait {
        client: Client::Hand,
    },
    AsyncAwait {
        client: Client::Reqwest,
    },
];

/// Long, against the time that a test should take.
const LONG: Duration = Duration::from_secs(10);

fn in_flight(limit: usize) -> Options {
    Options {
        max_in_flight: NonZeroUsize::new(limit).unwrap(),
        ..Options::default()
    }
}

fn kinds<T>(results: &[Result<T, FetchError>]) -> Vec<Option<ErrorKind>> {
    let kind = |result: &Result<T, _>| result.as_ref().err().map(FetchError::kind);
    results.iter().map(kind).collect()
}

/// 2,000 fetches of 100 ms, 1,000 at a time: 200 ms of waiting.
#[test]
fn a_crowd_waits_on_one_thread() {
    let origin = Origin::start(Config::default()).unwrap();
    for stage in BOTH {
        origin.clear_journal();
        let requests = vec![Request::get(&origin.url("/delay/100/16")).unwrap(); 2000];
        let start = Instant::now();
        let results = stage.fetch_all(requests, &in_flight(1000));
        assert!(start.elapsed() < LONG);
        assert_eq!(kinds(&results), vec![None; 2000]);
        assert!((500..=1000).contains(&origin.peak_in_flight()));
    }
}

/// Also where fetches end because their futures are dropped: the next one
/// connects only after the last one's connection is closed.
#[test]
fn dropped_fetches_make_room_first() {
    let origin = Origin::start(Config::default()).unwrap();
    let silent = Script::new().expect_request().stall();
    let endless = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\n\r\nmore than one byte")
        .pause(LONG)
        .send("and more");
    for (script, deadline, kind) in [
        (silent, Duration::from_millis(50), ErrorKind::Timeout),
        (endless, LONG, ErrorKind::BodyTooLarge),
    ] {
        let address = origin.listen(script).unwrap();
        for stage in BOTH {
            origin.clear_journal();
            let options = Options {
                deadline,
                max_body_bytes: 1,
                ..in_flight(4)
            };
            let requests = vec![Request::get(&format!("http://{address}/")).unwrap(); 40];
            let results = stage.fetch_all(requests, &options);
            assert_eq!(kinds(&results), vec![Some(kind); 40]);
            let peak = origin.peak_in_flight();
            assert!(peak <= 4, "{peak} in flight with {stage:?}");
        }
    }
}

#[test]
fn the_first_failure_ends_the_others() {
    let origin = Origin::start(Config::default()).unwrap();
    let url = |path| Request::get(&origin.url(path)).unwrap();
    let bad = Script::new()
        .expect_request()
        .send("no HTTP\r\n\r\n")
        .close();
    origin.script("bad", bad).unwrap();
    for stage in BOTH {
        let options = Options {
            on_error: OnError::CancelOthers,
            ..in_flight(3)
        };
        let requests = vec![
            url("/bytes/5"),
            url("/delay/10000/5"),
            url("/case/bad"),
            url("/delay/10000/5"),
        ];
        let start = Instant::now();
        let results = stage.fetch_all(requests, &options);
        assert!(start.elapsed() < LONG);
        let cancelled = Some(ErrorKind::Cancelled);
        let expected = [None, cancelled, Some(ErrorKind::InvalidHead), cancelled];
        assert_eq!(kinds(&results), expected);

        let closed = Instant::now() + Duration::from_secs(1);
        while origin.open_connections() > 0 {
            assert!(Instant::now() < closed, "{stage:?} left a connection open");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A resolver that blocks for the given time, and then knows these addresses.
#[derive(Debug)]
struct Slow(Duration, Vec<SocketAddr>);

impl Resolve for Slow {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        thread::sleep(self.0);
        Ok(self.1.clone())
    }
}

fn resolve_with(resolver: impl Resolve + 'static, deadline: Duration) -> Options {
    Options {
        resolver: Arc::new(resolver),
        deadline,
        ..Options::default()
    }
}

/// The thread that calls it is not waited for, and nothing else waits with it.
#[test]
fn a_resolver_that_never_answers_holds_nobody() {
    let origin = Origin::start(Config::default()).unwrap();
    for stage in BOTH {
        let options = resolve_with(Slow(LONG, vec![]), Duration::from_millis(500));
        let requests = vec![
            Request::get("http://slow.test/").unwrap(),
            Request::get(&origin.url("/bytes/5")).unwrap(),
        ];
        let start = Instant::now();
        let results = stage.fetch_all(requests, &options);
        assert!(start.elapsed() < LONG / 2);
        assert_eq!(kinds(&results), [Some(ErrorKind::Timeout), None]);
    }
}

#[test]
fn a_name_without_addresses_and_a_panic_are_dns_failures() {
    #[derive(Debug)]
    struct Panics;
    impl Resolve for Panics {
        fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
            panic!("on purpose, by a test")
        }
    }
    for stage in BOTH {
        for options in [
            resolve_with(Slow(Duration::ZERO, vec![]), LONG),
            resolve_with(Panics, LONG),
        ] {
            let requests = vec![Request::get("http://nobody.test/").unwrap()];
            let results = stage.fetch_all(requests, &options);
            assert_eq!(kinds(&results), [Some(ErrorKind::DnsFailure)]);
        }
    }
}

/// Blocking inside a runtime would stop its tasks; tokio refuses.
#[test]
#[should_panic(expected = "Cannot start a runtime from within a runtime")]
fn must_not_be_called_while_polling() {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        AsyncAwait::default().fetch_all(vec![], &Options::default());
    });
}
