//! The events of a fetch, seen by a subscriber: each wait is said once, ended
//! by somebody, and followed by running on.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use conformance::trace::listen;
use fetch_core::{OnError, Options, Request, Stage};
use origin::{Config, Origin, Script};
use stage5_async_await::{AsyncAwait, Client};

fn stage(client: Client) -> AsyncAwait {
    AsyncAwait { client }
}

#[test]
fn waits_that_end_by_themselves() {
    let origin = Origin::start(Config::default()).unwrap();
    for (client, waiting, woken) in [
        (Client::Hand, "waiting readable", "woken reactor"),
        (Client::Reqwest, "waiting reqwest", "woken waker"),
    ] {
        // Two futures in one task: each is polled also when the other is woken.
        let (home, trace) =
            listen(|| stage(client).load_home(&origin.url(""), 42, &Options::default()));
        home.unwrap();
        for fetch in [0, 1] {
            trace.check_order(fetch).unwrap();
            let end = [waiting, woken, "resumed", "finished ok"];
            assert_eq!(trace.end_of(fetch, 4), end);
        }
    }
}

#[test]
fn a_wait_that_the_deadline_ends() {
    let origin = Origin::start(Config::default()).unwrap();
    let options = Options {
        deadline: Duration::from_millis(100),
        ..Options::default()
    };
    let request = Request::get(&origin.url("/delay/10000/1")).unwrap();
    let (_, trace) = listen(|| stage(Client::Hand).fetch_all(vec![request], &options));
    trace.check_order(0).unwrap();
    let end = ["woken timer", "resumed", "finished timeout"];
    assert_eq!(trace.end_of(0, 3), end);
}

#[test]
fn a_wait_that_a_sibling_ends() {
    let origin = Origin::start(Config::default()).unwrap();
    let silent = Script::new().expect_request().stall();
    let silent = origin.listen(silent).unwrap();
    for client in [Client::Hand, Client::Reqwest] {
        let options = Options {
            on_error: OnError::CancelOthers,
            ..Options::default()
        };
        let requests = vec![
            Request::get(&format!("http://{silent}/")).unwrap(),
            Request::get("http://127.0.0.1:1/").unwrap(),
        ];
        let (_, trace) = listen(|| stage(client).fetch_all(requests, &options));
        for fetch in [0, 1] {
            trace.check_order(fetch).unwrap();
        }
        // It is dropped: nobody wakes it, and none of its code runs again.
        let end = trace.end_of(0, 2);
        assert!(end[0].starts_with("waiting"), "{end:?}");
        assert_eq!(end[1], "finished cancelled");
    }
}
