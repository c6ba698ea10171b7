//! What the origin sees of a future that nobody has polled, and of one that
//! somebody has.

use std::future::{Future, pending, ready};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use ex13_lazy::begin;
use fetch_core::{FetchError, Options, Request, Response};
use origin::{Config, Origin};
use stage4_hand_rolled_future::by_compiler;
use stage4_hand_rolled_future::runtime::Runtime;

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// The longest that the origin is given to see a connection.
const LONG: Duration = Duration::from_secs(2);

/// How long nothing has to happen to be called nothing.
const A_WHILE: Duration = Duration::from_millis(200);

#[test]
fn calling_an_async_fn_only_builds_a_value() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let fetch = fetch(&runtime, &origin, "/bytes/5")?;
    thread::sleep(A_WHILE);
    let size = size_of_val(&fetch);
    assert_eq!(origin.accepted(), 0);
    drop(fetch);
    eprintln!("called: a value of {size} bytes; dropped: 0 connections");
    Ok(())
}

#[test]
fn the_first_poll_goes_as_far_as_it_can() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let mut fetch = pin!(fetch(&runtime, &origin, "/bytes/5")?);
    let mut nobody = Context::from_waker(Waker::noop());
    assert!(fetch.as_mut().poll(&mut nobody).is_pending());
    assert!(sees_a_connection(&origin));
    thread::sleep(A_WHILE);
    let received: u64 = origin.journal().iter().map(|c| c.request_bytes).sum();
    assert_eq!(received, 0, "who has polled a second time?");
    eprintln!(
        "polled once: {} connection, and {received} bytes of the request",
        origin.accepted()
    );

    // Whoever polls again goes on with it.
    let response = runtime.block_on(fetch)??;
    assert_eq!(response.body().len(), 5);
    Ok(())
}

#[test]
fn begin_begins() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let fetch = begin(fetch(&runtime, &origin, "/bytes/5")?);
    // Here the caller does something else.
    assert!(
        sees_a_connection(&origin),
        "the origin has seen no connection: nobody has polled the fetch"
    );
    drop(fetch);
    Ok(())
}

#[test]
fn begin_polls_once() {
    let mut polls = 0;
    let begun = begin(std::future::poll_fn(|_| {
        polls += 1;
        Poll::<()>::Pending
    }));
    drop(begun);
    assert_eq!(
        polls, 1,
        "`begin` polled the future {polls} times; once is enough, and more is not its business"
    );
}

#[test]
fn begin_does_not_wait() {
    drop(begin(pending::<()>()));
}

#[test]
fn what_has_begun_is_awaited_as_before() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let fetch = begin(fetch(&runtime, &origin, "/delay/50/5")?);
    let response = runtime.block_on(fetch)??;
    assert_eq!(response.body().len(), 5);
    Ok(())
}

#[test]
fn what_is_ready_at_once_is_not_lost() -> TestResult {
    let runtime = Runtime::new()?;
    assert_eq!(runtime.block_on(begin(ready(5)))?, 5);
    // A future by the compiler does not let itself be polled after its end.
    assert_eq!(runtime.block_on(begin(async { 6 }))?, 6);
    Ok(())
}

#[test]
fn who_awaits_it_is_woken() -> TestResult {
    let runtime = Runtime::new()?;
    // After each poll another thread wakes whoever has polled.
    let mut polls = 0;
    let begun = begin(std::future::poll_fn(move |cx: &mut Context<'_>| {
        polls += 1;
        if polls == 3 {
            return Poll::Ready(polls);
        }
        let waker = cx.waker().clone();
        thread::spawn(move || waker.wake());
        Poll::Pending
    }));
    let polls = runtime.block_on(begun)?;
    assert_eq!(polls, 3);
    Ok(())
}

/// Stage 4's fetch, an `async fn`.
fn fetch(
    runtime: &Runtime,
    origin: &Origin,
    path: &str,
) -> Result<impl Future<Output = Result<Response, FetchError>> + use<>, FetchError> {
    let request = Request::get(&origin.url(path))?;
    let options = Rc::new(Options::default());
    let reactor = Rc::clone(runtime.reactor());
    Ok(by_compiler::fetch(0, request, options, reactor))
}

/// Waits until the origin has accepted a connection, and says whether it has.
fn sees_a_connection(origin: &Origin) -> bool {
    let start = Instant::now();
    while origin.accepted() == 0 && start.elapsed() < LONG {
        thread::sleep(Duration::from_millis(5));
    }
    origin.accepted() > 0
}
