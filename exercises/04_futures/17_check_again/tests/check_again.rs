//! Whatever comes between two lines is not to be missed.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::mem;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use ex17_check_again::{Bell, Fetches, until};
use fetch_core::{FetchError, Request};
use origin::{Config, Origin};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn three_fetches_end() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let fetches = Fetches::start(vec![
        Request::get(&origin.url("/delay/80/16"))?,
        Request::get(&origin.url("/delay/20/16"))?,
        Request::get(&origin.url("/delay/50/16"))?,
    ])?;
    block_on(until(fetches.bell(), || fetches.left() == 0));
    assert_eq!(lengths(&fetches)?, [16, 16, 16]);
    Ok(())
}

#[test]
fn the_last_fetch_ends_right_after_the_look() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let fetches = Fetches::start(vec![Request::get(&origin.url("/delay/20/16"))?])?;
    let mut is_first = true;
    let mut responses = Vec::new();
    let all_ended = || {
        let seen = fetches.left() == 0;
        // The system may take the processor away here, for as long as it
        // likes. This time it does: until the fetch's thread has ended.
        if mem::take(&mut is_first) {
            responses = fetches.responses();
        }
        seen
    };

    block_on(until(fetches.bell(), all_ended));

    assert_eq!(responses.len(), 1);
    Ok(())
}

#[test]
fn an_event_after_any_look_is_noticed() {
    for event_after in 1..=4 {
        let bell = Bell::default();
        let (looks, has_come) = (Cell::new(0), Cell::new(false));
        let condition = || {
            let seen = has_come.get();
            looks.set(looks.get() + 1);
            if looks.get() == event_after {
                has_come.set(true);
                bell.ring();
            }
            seen
        };
        let (waker, calls) = counting();
        let mut waiting = pin!(until(&bell, condition));
        let mut done = false;
        // A poll that nobody asked for is allowed, so there is one after the
        // other until the event comes. From then on each needs a wake.
        while !done && (!has_come.get() || calls.take() > 0) {
            let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker));
            done = polled.is_ready();
        }
        assert!(
            done,
            "the event came right after look {event_after}, when no waker was registered that \
             it could call, and nobody has looked again: the task sleeps for ever"
        );
        let looks = looks.get();
        eprintln!("the event after look {event_after}: noticed, {looks} looks in all");
    }
}

#[test]
fn waiting_takes_no_polls() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let fetches = Fetches::start(vec![Request::get(&origin.url("/delay/100/16"))?])?;
    let mut waiting = pin!(until(fetches.bell(), || fetches.left() == 0));
    let mut polls = 0;
    block_on(poll_fn(|cx| {
        polls += 1;
        waiting.as_mut().poll(cx)
    }));
    // Two, and some for a thread that was unparked for no reason.
    assert!(
        polls < 10,
        "{polls} polls: something woke the task while there was nothing to do"
    );
    Ok(())
}

#[test]
fn nothing_happens_and_nobody_is_woken() {
    let bell = Bell::default();
    let (waker, calls) = counting();
    let mut waiting = pin!(until(&bell, || false));
    let polled = waiting.as_mut().poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending(), "the condition does not hold");
    assert_eq!(calls.take(), 0, "the future has woken its own task");
    bell.ring();
    assert_eq!(calls.take(), 1, "the bell has rung for who waits");
}

fn lengths(fetches: &Fetches) -> Result<Vec<usize>, FetchError> {
    let responses = fetches.responses().into_iter();
    responses
        .map(|response| response.map(|response| response.body().len()))
        .collect()
}

/// Exercise 15's.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        if let Poll::Ready(output) = polled {
            return output;
        }
        thread::park();
    }
}

/// A waker, and how often it has been called.
fn counting() -> (Waker, Arc<Calls>) {
    let calls = Arc::new(Calls(AtomicUsize::new(0)));
    (Waker::from(Arc::clone(&calls)), calls)
}

struct Calls(AtomicUsize);

impl Calls {
    /// Since the last time.
    fn take(&self) -> usize {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
