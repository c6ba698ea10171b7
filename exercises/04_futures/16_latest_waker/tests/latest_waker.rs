//! Whoever has polled last is to be woken.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use ex16_latest_waker::{block_on, desk, fetch_elsewhere};
use fetch_core::{FetchError, Request, Response};
use origin::{Config, Origin};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn one_task_gets_the_response() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let answer = fetch_elsewhere(Request::get(&origin.url("/delay/50/16"))?)?;
    assert_eq!(length(block_on(answer)), Ok(16));
    Ok(())
}

#[test]
fn the_task_that_polled_last_gets_the_response() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let mut answer = fetch_elsewhere(Request::get(&origin.url("/delay/50/16"))?)?;

    // One task looks once, as `select!` and every timeout do ...
    let (waker, _) = counting();
    let polled = Pin::new(&mut answer).poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending(), "the origin takes 50 ms to answer");

    // ... and gives the future away.
    assert_eq!(length(block_on(answer)), Ok(16));
    Ok(())
}

#[test]
fn only_the_latest_waker_is_called() {
    let (mut answer, reply) = desk();
    let (first, calls_of_first) = counting();
    let (latest, calls_of_latest) = counting();
    for waker in [&first, &latest, &latest] {
        let polled = Pin::new(&mut answer).poll(&mut Context::from_waker(waker));
        assert!(polled.is_pending(), "nobody has handed in anything");
    }

    reply.hand_in("here");

    let (first, latest) = (calls_of_first.so_far(), calls_of_latest.so_far());
    assert_eq!(latest, 1, "the latest waker was called {latest} times");
    assert_eq!(
        first, 0,
        "a waker that is out of date was called {first} times"
    );
}

#[test]
fn waiting_takes_no_polls() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let answer = fetch_elsewhere(Request::get(&origin.url("/delay/100/16"))?)?;
    let mut answer = pin!(answer);
    let mut polls = 0;
    let response = block_on(std::future::poll_fn(|cx| {
        polls += 1;
        answer.as_mut().poll(cx)
    }));
    assert_eq!(length(response), Ok(16));
    eprintln!("100 ms of waiting: {polls} polls");
    // Two, and some for a thread that was unparked for no reason.
    assert!(
        polls < 10,
        "{polls} polls: something woke the task while there was nothing to do"
    );
    Ok(())
}

#[test]
fn an_answer_that_is_there_before_the_first_poll() {
    let (answer, reply) = desk();
    reply.hand_in("here");
    let (waker, calls) = counting();
    let polled = pin!(answer).poll(&mut Context::from_waker(&waker));
    assert_eq!(polled, Poll::Ready("here"));
    assert_eq!(calls.so_far(), 0);
}

fn length(response: Result<Response, FetchError>) -> Result<usize, FetchError> {
    response.map(|response| response.body().len())
}

/// A waker, and how often it has been called.
fn counting() -> (Waker, Arc<Calls>) {
    let calls = Arc::new(Calls(AtomicUsize::new(0)));
    (Waker::from(Arc::clone(&calls)), calls)
}

struct Calls(AtomicUsize);

impl Calls {
    fn so_far(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Calls {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}
