//! Names are resolved on another thread, which comes back with a wake.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use fetch_core::{ErrorKind, Options, Request, Resolve, Stage};
use origin::{Config, Origin};
use stage4_hand_rolled_future::resolve::Resolving;
use stage4_hand_rolled_future::{HandRolledFuture, Written};

const BOTH: [Written; 2] = [Written::ByHand, Written::ByCompiler];

/// Answers late, or never within the test.
#[derive(Debug)]
struct Late(Duration, SocketAddr);

impl Resolve for Late {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        std::thread::sleep(self.0);
        Ok(vec![self.1])
    }
}

#[test]
fn a_name_that_comes_late_wakes_the_loop() {
    let origin = Origin::start(Config::default()).unwrap();
    let options = Options {
        resolver: Arc::new(Late(Duration::from_millis(100), origin.address())),
        ..Options::default()
    };
    for fetch in BOTH {
        let request = Request::get("http://somewhere.test/bytes/4").unwrap();
        let start = Instant::now();
        let results = HandRolledFuture { fetch }.fetch_all(vec![request], &options);
        assert_eq!(results[0].as_ref().unwrap().body().len(), 4);
        assert!(start.elapsed() < Duration::from_secs(5));
    }
}

#[test]
fn a_name_that_never_comes_costs_the_deadline_and_no_more() {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
    let options = Options {
        deadline: Duration::from_millis(100),
        resolver: Arc::new(Late(Duration::from_secs(3), nowhere)),
        ..Options::default()
    };
    for fetch in BOTH {
        let request = Request::get("http://nowhere.test/").unwrap();
        let start = Instant::now();
        let results = HandRolledFuture { fetch }.fetch_all(vec![request], &options);
        assert_eq!(results[0].as_ref().unwrap_err().kind(), ErrorKind::Timeout);
        assert!(start.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn a_resolver_that_runs_on_does_not_keep_the_task() {
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 9));
    let resolver: Arc<dyn Resolve> = Arc::new(Late(Duration::from_secs(3), nowhere));
    let request = Request::get("http://nowhere.test/").unwrap();
    let mut resolving = Resolving::new(0, &request, &resolver);
    let bell = Arc::new(Silent);
    let waker = Waker::from(Arc::clone(&bell));
    let mut cx = Context::from_waker(&waker);
    assert!(Pin::new(&mut resolving).poll(&mut cx).is_pending());
    assert_eq!(Arc::strong_count(&bell), 3);
    drop(resolving);
    assert_eq!(Arc::strong_count(&bell), 2);
}

struct Silent;

impl Wake for Silent {
    fn wake(self: Arc<Self>) {}
}

#[derive(Debug)]
struct Panics;

impl Resolve for Panics {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        panic!("on purpose");
    }
}

#[test]
fn a_resolver_that_panics_is_an_error() {
    let options = Options {
        resolver: Arc::new(Panics),
        ..Options::default()
    };
    for fetch in BOTH {
        let request = Request::get("http://nowhere.test/").unwrap();
        let results = HandRolledFuture { fetch }.fetch_all(vec![request], &options);
        assert_eq!(
            results[0].as_ref().unwrap_err().kind(),
            ErrorKind::DnsFailure
        );
    }
}
