//! What the trace says of the queue; and, since whoever listens to it runs on
//! the worker, what becomes of a fetch that panics.

#![allow(clippy::unwrap_used)]

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Duration;

use fetch_core::{ErrorKind, OnError, Options, Request, Stage};
use origin::{Config, Origin, Script};
use stage2_thread_pool::ThreadPool;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

const ONE_WORKER: ThreadPool = ThreadPool {
    workers: Some(NonZeroUsize::MIN),
};

#[test]
fn queued_is_told_from_waiting() {
    let listening = Listening::begin(None);
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/delay/50/1")).unwrap();
    let results = ONE_WORKER.fetch_all(vec![request; 3], &Options::default());
    assert!(results.iter().all(Result::is_ok), "{results:?}");

    let heard = listening.end();
    for fetch in 0..3 {
        let story = story(&heard, fetch);
        let beginning = [
            "waiting queue",
            "woken worker",
            "started",
            "waiting connect",
        ];
        assert_eq!(story[..4], beginning);
        assert_eq!(story.last(), Some(&"finished ok"));
    }
    let position = |fetch, what: &str| {
        let is_it = |(id, event): &(usize, String)| *id == fetch && event == what;
        heard.iter().position(is_it).unwrap()
    };
    assert!(position(1, "waiting queue") < position(0, "finished ok"));
    assert!(position(0, "finished ok") < position(1, "woken worker"));
}

#[test]
fn a_fetch_cancelled_in_the_queue_never_starts() {
    let listening = Listening::begin(None);
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
    let results = ONE_WORKER.fetch_all(vec![request; 3], &options);

    let kinds: Vec<_> = results.into_iter().map(|r| r.unwrap_err().kind()).collect();
    let cancelled = ErrorKind::Cancelled;
    assert_eq!(kinds, [ErrorKind::Disconnected, cancelled, cancelled]);
    let heard = listening.end();
    for fetch in [1, 2] {
        assert_eq!(
            story(&heard, fetch),
            ["waiting queue", "finished cancelled"]
        );
    }
    assert_eq!(origin.accepted(), 1);
}

#[test]
fn a_fetch_that_panics_fails_alone() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/10")).unwrap();
    for event in ["woken worker", "started", "waiting readable"] {
        let listening = Listening::begin(Some((1, event)));
        let results = ONE_WORKER.fetch_all(vec![request.clone(); 4], &Options::default());
        listening.end();

        let [Ok(_), Err(panicked), Ok(_), Ok(_)] = results.as_slice() else {
            panic!("{results:?}");
        };
        assert_eq!(panicked.kind(), ErrorKind::Io);
        assert!(panicked.to_string().contains("as asked at"), "{panicked}");
    }
}

#[test]
fn a_panic_ends_the_others_where_a_failure_does() {
    let listening = Listening::begin(Some((0, "started")));
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/10")).unwrap();
    let options = Options {
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    let results = ONE_WORKER.fetch_all(vec![request; 3], &options);
    listening.end();

    let kinds: Vec<_> = results.into_iter().map(|r| r.unwrap_err().kind()).collect();
    let cancelled = ErrorKind::Cancelled;
    assert_eq!(kinds, [ErrorKind::Io, cancelled, cancelled]);
    assert_eq!(origin.accepted(), 0);
}

type Heard = Vec<(usize, String)>;

fn story(heard: &Heard, fetch: usize) -> Vec<&str> {
    let of_this = heard.iter().filter(|(id, _)| *id == fetch);
    of_this.map(|(_, event)| event.as_str()).collect()
}

/// Workers are not this thread, so the subscriber has to be everybody's; these
/// tests take turns with it.
struct Listening(#[allow(dead_code, reason = "held")] MutexGuard<'static, ()>);

static TURN: Mutex<()> = Mutex::new(());
static PRESENT: Mutex<Present> = Mutex::new(Present {
    heard: Vec::new(),
    panic_at: None,
});

struct Present {
    heard: Heard,
    panic_at: Option<(usize, &'static str)>,
}

impl Listening {
    fn begin(panic_at: Option<(usize, &'static str)>) -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| tracing::subscriber::set_global_default(Listener).unwrap());
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        *PRESENT.lock().unwrap() = Present {
            heard: Vec::new(),
            panic_at,
        };
        Listening(turn)
    }

    fn end(self) -> Heard {
        std::mem::take(&mut PRESENT.lock().unwrap().heard)
    }
}

struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == fetch_core::wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        let said = format!("{} {}", words.message, words.detail);
        let (fetch, said) = (words.fetch.unwrap(), said.trim_end().to_owned());
        let mut present = PRESENT.lock().unwrap();
        let asked = present.panic_at == Some((fetch, said.as_str()));
        present.heard.push((fetch, said.clone()));
        drop(present);
        assert!(!asked, "as asked at {said:?}");
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Words {
    fetch: Option<usize>,
    message: String,
    detail: String,
}

impl Visit for Words {
    fn record_u64(&mut self, _: &Field, value: u64) {
        self.fetch = usize::try_from(value).ok();
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        self.detail = value.to_owned();
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}
