//! When the time is up, somebody has to notice, and something has to end.

use std::cell::Cell;
use std::future::{Future, pending, poll_fn, ready};
use std::pin::pin;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use ex21_timeout::Timeout;
use fetch_core::{FetchError, Options, Request, Response};
use origin::{Config, Connection, Origin, Script};
use stage4_hand_rolled_future::by_compiler;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_fetch_that_is_in_time_has_its_response() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    let fetch = fetch(&runtime, &origin, "/delay/20/16")?;
    let timeout = Timeout::at(runtime.reactor(), after(4000), fetch);
    let response = runtime
        .block_on(timeout)?
        .ok_or("given up, though it was in time")??;
    assert_eq!(response.body().len(), 16);
    Ok(())
}

#[test]
fn a_server_that_says_nothing_is_given_up() -> TestResult {
    let origin = Origin::start(Config::default())?;
    origin.script("silent", Script::new().expect_request().stall())?;
    let runtime = Runtime::new()?;
    let moment = after(100);
    let polls = Cell::new(0);
    let fetch = counted(&polls, fetch(&runtime, &origin, "/case/silent")?);
    let outcome = runtime.block_on(Timeout::at(runtime.reactor(), moment, fetch))?;
    assert!(outcome.is_none(), "the server has said something");
    assert!(Instant::now() >= moment, "given up too early");
    let polls = polls.get();
    eprintln!("100 ms of silence: {polls} polls");
    assert!(
        polls < 10,
        "{polls} polls: something woke the task while there was nothing to do"
    );
    Ok(())
}

#[test]
fn when_the_time_is_up_the_connection_is_closed() -> TestResult {
    let origin = Origin::start(Config::default())?;
    // A byte now and then: the task is woken, and so the clock is looked at.
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n";
    let drip = Script::new().expect_request().send(head);
    origin.script("drip", drip.drip(10_000, Duration::from_millis(10)))?;
    let runtime = Runtime::new()?;
    let fetch = fetch(&runtime, &origin, "/case/drip")?;
    let mut timeout = pin!(Timeout::at(runtime.reactor(), after(100), fetch));

    let outcome = runtime.block_on(timeout.as_mut())?;

    assert!(outcome.is_none(), "10,000 bytes take longer");
    // `timeout` is still here, and nobody will poll it any more.
    let connection = once_it_has_ended(&origin);
    assert!(
        connection.client_left_at.is_some(),
        "the time was up a second ago, and the connection is still open: {} bytes have been sent \
         to nobody",
        connection.response_sent
    );
    assert!(
        connection.request_whole_at.is_some(),
        "what was sent is not taken back"
    );
    eprintln!(
        "the origin has got {} bytes of request, has sent {} bytes, and saw the client leave",
        connection.request_bytes, connection.response_sent
    );
    assert_eq!(registered(&runtime), (0, 0));
    Ok(())
}

#[test]
fn whoever_is_dropped_before_leaves_nothing_behind() -> TestResult {
    let origin = Origin::start(Config::default())?;
    origin.script("silent", Script::new().expect_request().stall())?;
    let runtime = Runtime::new()?;
    {
        let fetch = fetch(&runtime, &origin, "/case/silent")?;
        let mut timeout = pin!(Timeout::at(runtime.reactor(), after(60_000), fetch));
        let mut sleep = Sleep::until(runtime.reactor(), 0, after(100));
        let either = poll_fn(|cx| {
            let polled = timeout.as_mut().poll(cx);
            assert!(polled.is_pending(), "nothing has happened");
            pin!(&mut sleep).poll(cx)
        });
        runtime.block_on(either)?;
    }
    let connection = once_it_has_ended(&origin);
    assert!(
        connection.client_left_at.is_some(),
        "the timeout is gone, and the connection is still open"
    );
    assert_eq!(registered(&runtime), (0, 0));
    Ok(())
}

#[test]
fn what_is_done_is_done() -> TestResult {
    let runtime = Runtime::new()?;
    let past = Instant::now();
    let done = Timeout::at(runtime.reactor(), past, ready("done"));
    assert_eq!(
        runtime.block_on(done)?,
        Some("done"),
        "given up, though it was done at its first poll"
    );
    let late = Timeout::at(runtime.reactor(), past, pending::<()>());
    assert_eq!(runtime.block_on(late)?, None);
    Ok(())
}

/// Stage 4's fetch, as an `async fn`. Its own deadline is far away.
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

fn after(milliseconds: u64) -> Instant {
    Instant::now() + Duration::from_millis(milliseconds)
}

/// Sockets and timers that the reactor knows of.
fn registered(runtime: &Runtime) -> (usize, usize) {
    runtime.reactor().registered()
}

/// What the journal says of the first connection, once it has ended; after a
/// second in any case.
fn once_it_has_ended(origin: &Origin) -> Connection {
    let patience = after(1000);
    loop {
        let connection = origin.journal().swap_remove(0);
        if connection.ended.is_some() || Instant::now() >= patience {
            return connection;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// `future`, and how often it is polled.
fn counted<F: Future>(polls: &Cell<usize>, future: F) -> impl Future<Output = F::Output> {
    let mut future = Box::pin(future);
    poll_fn(move |cx| {
        polls.set(polls.get() + 1);
        future.as_mut().poll(cx)
    })
}
