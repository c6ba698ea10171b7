//! What the trace says of the queue; and, since whoever listens to it is called
//! on the worker, what becomes of a fetch that panics.

#![allow(clippy::unwrap_used)]

use std::num::NonZeroUsize;
use std::time::Duration;

use conformance::connections_made;
use conformance::trace::{listen, listen_with};
use fetch_core::{ErrorKind, OnError, Options, Request, Stage};
use origin::{Config, Origin, Script};
use stage2_thread_pool::ThreadPool;

const ONE_WORKER: ThreadPool = ThreadPool {
    workers: Some(NonZeroUsize::MIN),
};

#[test]
fn queued_is_told_from_waiting() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/delay/50/1")).unwrap();
    let (results, trace) = listen(|| ONE_WORKER.fetch_all(vec![request; 3], &Options::default()));
    assert!(results.iter().all(Result::is_ok), "{results:?}");

    for fetch in 0..3 {
        trace.check_order(fetch).unwrap();
        let story = trace.of(fetch);
        let beginning = [
            "waiting queue",
            "woken worker",
            "started",
            "waiting connect",
        ];
        assert_eq!(story[..4], beginning);
        assert_eq!(story.last(), Some(&"finished ok"));
    }
    let position = |fetch, words| trace.position(fetch, words).unwrap();
    assert!(position(1, "waiting queue") < position(0, "finished ok"));
    assert!(position(0, "finished ok") < position(1, "woken worker"));
}

#[test]
fn a_fetch_cancelled_in_the_queue_never_starts() {
    let origin = Origin::start(Config::default()).unwrap();
    // By then the two others have long been queued.
    let late = Duration::from_millis(300);
    let script = Script::new().expect_request().pause(late).reset();
    origin.script("fails", script).unwrap();
    let request = Request::get(&origin.url("/case/fails")).unwrap();
    let options = Options {
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    let (results, trace) = listen(|| ONE_WORKER.fetch_all(vec![request; 3], &options));

    let kinds: Vec<_> = results.into_iter().map(|r| r.unwrap_err().kind()).collect();
    let cancelled = ErrorKind::Cancelled;
    assert_eq!(kinds, [ErrorKind::Disconnected, cancelled, cancelled]);
    for fetch in [1, 2] {
        assert_eq!(trace.of(fetch), ["waiting queue", "finished cancelled"]);
    }
    assert_eq!(connections_made(&origin), Ok(1));
}

#[test]
fn a_fetch_that_panics_fails_alone() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/10")).unwrap();
    for event in ["woken worker", "started", "waiting readable"] {
        let (results, _) = listen_with(panic_at(1, event), || {
            ONE_WORKER.fetch_all(vec![request.clone(); 4], &Options::default())
        });

        let [Ok(_), Err(panicked), Ok(_), Ok(_)] = results.as_slice() else {
            panic!("{results:?}");
        };
        assert_eq!(panicked.kind(), ErrorKind::Io);
        assert!(panicked.to_string().contains("as asked at"), "{panicked}");
    }
}

#[test]
fn a_panic_ends_the_others_where_a_failure_does() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/10")).unwrap();
    let options = Options {
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    let (results, _) = listen_with(panic_at(0, "started"), || {
        ONE_WORKER.fetch_all(vec![request; 3], &options)
    });

    let kinds: Vec<_> = results.into_iter().map(|r| r.unwrap_err().kind()).collect();
    let cancelled = ErrorKind::Cancelled;
    assert_eq!(kinds, [ErrorKind::Io, cancelled, cancelled]);
    assert_eq!(connections_made(&origin), Ok(0));
}

/// Panics, on the worker, when that fetch says these words.
fn panic_at(fetch: usize, words: &'static str) -> impl Fn(usize, &str) + Send + Sync + 'static {
    move |id, said| assert!((id, said) != (fetch, words), "as asked at {said:?}")
}
