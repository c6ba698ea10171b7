//! The events of a fetch, seen by a subscriber: each wait is said once, ended
//! by somebody, and followed by running on.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch_core::wait::TARGET;
use fetch_core::{OnError, Options, Request, Stage};
use origin::{Config, Origin, Script};
use stage5_async_await::{AsyncAwait, Client};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// The events of each fetch in their order, such as `waiting readable`.
#[derive(Debug, Clone, Default)]
struct Listener(Arc<Mutex<BTreeMap<u64, Vec<String>>>>);

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == TARGET
    }
    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let words = format!("{} {}", fields.message, fields.detail);
        let mut heard = self.0.lock().unwrap();
        let of_fetch = heard.entry(fields.fetch).or_default();
        of_fetch.push(words.trim_end().to_owned());
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[derive(Default)]
struct Fields {
    fetch: u64,
    message: String,
    detail: String,
}

impl Visit for Fields {
    fn record_u64(&mut self, _: &Field, value: u64) {
        self.fetch = value;
    }
    fn record_str(&mut self, _: &Field, value: &str) {
        self.detail = value.to_owned();
    }
    fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
        self.message = format!("{value:?}");
    }
}

/// What is said while `run` runs, on this thread.
fn listen(run: impl FnOnce()) -> BTreeMap<u64, Vec<String>> {
    let listener = Listener::default();
    tracing::subscriber::with_default(listener.clone(), run);
    let heard = listener.0.lock().unwrap().clone();
    for events in heard.values() {
        check_order(events);
    }
    heard
}

/// started, then any number of waiting, woken, resumed, then finished.
fn check_order(events: &[String]) {
    let words: Vec<_> = events
        .iter()
        .filter_map(|event| event.split(' ').next())
        .collect();
    let (first, rest) = words.split_first().unwrap();
    let (last, waits) = rest.split_last().unwrap();
    assert_eq!((*first, *last), ("started", "finished"), "{events:?}");
    for wait in waits.chunks(3) {
        assert_eq!(wait, ["waiting", "woken", "resumed"], "{events:?}");
    }
}

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
        let heard = listen(|| {
            let home = stage(client).load_home(&origin.url(""), 42, &Options::default());
            home.unwrap();
        });
        assert_eq!(heard.len(), 2);
        for events in heard.values() {
            assert_eq!(events[events.len() - 1], "finished ok");
            let last_wait = &events[events.len() - 4..events.len() - 1];
            assert_eq!(last_wait, [waiting, woken, "resumed"]);
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
    let heard = listen(|| {
        let request = Request::get(&origin.url("/delay/10000/1")).unwrap();
        stage(Client::Hand).fetch_all(vec![request], &options);
    });
    let events = &heard[&0];
    let end = ["woken timer", "resumed", "finished timeout"];
    assert_eq!(events[events.len() - 3..], end);
}

#[test]
fn a_wait_that_a_sibling_ends() {
    let origin = Origin::start(Config::default()).unwrap();
    let silent = Script::new().expect_request().stall();
    let silent = origin.listen(silent).unwrap();
    for client in [Client::Hand, Client::Reqwest] {
        let heard = listen(|| {
            let options = Options {
                on_error: OnError::CancelOthers,
                ..Options::default()
            };
            let requests = vec![
                Request::get(&format!("http://{silent}/")).unwrap(),
                Request::get("http://127.0.0.1:1/").unwrap(),
            ];
            stage(client).fetch_all(requests, &options);
        });
        let events = &heard[&0];
        let end = ["woken sibling", "resumed", "finished cancelled"];
        assert_eq!(events[events.len() - 3..], end);
    }
}
