//! Two fetches, one task.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use ex20_join::Join;
use fetch_core::{FetchError, Options, Request, Response};
use origin::{Config, Origin};
use stage4_hand_rolled_future::by_compiler;
use stage4_hand_rolled_future::runtime::Runtime;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn both_requests_are_at_the_origin_at_once() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let profile = fetch(&runtime, &origin, "/users/42/profile")?;
    let orders = fetch(&runtime, &origin, "/users/42/orders")?;
    let (profile, orders) = runtime.block_on(Join::new(profile, orders))?;
    profile?;
    orders?;
    assert_eq!(
        origin.peak_in_flight(),
        2,
        "the origin has seen one request at a time: 80 ms and then 120 ms"
    );
    Ok(())
}

#[test]
fn the_first_may_wait_for_what_the_second_does() {
    let (polls, is_open) = (Cell::new(0), Cell::new(false));
    let first = until(&is_open);
    let second = poll_fn(|_| {
        polls.set(polls.get() + 1);
        is_open.set(true);
        Poll::Ready("second")
    });
    let mut both = pin!(Join::new(first, second));
    let early = poll(both.as_mut());
    assert_eq!(
        polls.get(),
        1,
        "the first waits, and the second has not been polled: it cannot even begin"
    );
    assert!(early.is_pending(), "only the second is done");
    assert_eq!(poll(both), Poll::Ready(((), "second")));
}

#[test]
fn the_output_of_the_one_that_is_done_first_is_kept() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    for paths in [
        ["/delay/20/1", "/delay/80/2"],
        ["/delay/80/1", "/delay/20/2"],
    ] {
        let [a, b] = paths.map(|path| fetch(&runtime, &origin, path));
        // An `async fn` panics if it is polled after it was done.
        let (a, b) = runtime.block_on(Join::new(a?, b?))?;
        assert_eq!((a?.body().len(), b?.body().len()), (1, 2));
    }
    Ok(())
}

#[test]
fn nothing_happens_before_the_first_poll_and_dropping_ends_both() {
    let (held, is_open) = (Rc::new(()), Cell::new(false));
    let holding = || {
        let (held, gate) = (Rc::clone(&held), until(&is_open));
        async move {
            let _held = held;
            gate.await;
        }
    };
    let mut both = Box::pin(Join::new(holding(), holding()));
    assert!(poll(both.as_mut()).is_pending());
    assert_eq!(Rc::strong_count(&held), 3);
    drop(both);
    assert_eq!(Rc::strong_count(&held), 1, "dropped with their parent");
}

#[test]
fn a_wake_asks_both_and_there_are_few() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let (a_polls, b_polls) = (Cell::new(0), Cell::new(0));
    let a = counted(&a_polls, fetch(&runtime, &origin, "/delay/100/16")?);
    let b = counted(&b_polls, fetch(&runtime, &origin, "/delay/200/16")?);
    let (a, b) = runtime.block_on(Join::new(a, b))?;
    a?;
    b?;
    let (a, b) = (a_polls.get(), b_polls.get());
    eprintln!("100 ms and 200 ms: {a} and {b} polls");
    assert!(
        a + b < 40,
        "{a} and {b} polls: something woke the task while there was nothing to do"
    );
    Ok(())
}

/// Stage 4's fetch, as an `async fn`.
fn fetch(
    runtime: &Runtime,
    origin: &Origin,
    path: &str,
) -> Result<impl Future<Output = Result<Response, FetchError>> + use<>, FetchError> {
    let request = Request::get(&origin.url(path))?;
    let reactor = Rc::clone(runtime.reactor());
    Ok(by_compiler::fetch(
        0,
        request,
        Rc::new(Options::default()),
        reactor,
    ))
}

fn until(is_open: &Cell<bool>) -> impl Future<Output = ()> {
    poll_fn(|_| match is_open.get() {
        true => Poll::Ready(()),
        false => Poll::Pending,
    })
}

/// `future`, and how often it is polled.
fn counted<F: Future>(polls: &Cell<usize>, future: F) -> impl Future<Output = F::Output> {
    let mut future = Box::pin(future);
    poll_fn(move |cx| {
        polls.set(polls.get() + 1);
        future.as_mut().poll(cx)
    })
}

fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}
