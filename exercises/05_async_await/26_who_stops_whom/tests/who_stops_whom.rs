//! However a group ends, nothing of it goes on.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::{Duration, Instant};

use ex26_who_stops_whom::{a_task_each, get, one_task};
use fetch_core::{ErrorKind, FetchError, Request};
use origin::{Config, Origin, Script};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Long enough for whatever is to happen at once.
const PATIENCE: Duration = Duration::from_secs(1);

#[test]
fn in_one_task_the_first_failure_ends_the_other() -> TestResult {
    let origin = origin()?;
    let [silent, bad] = requests(&origin, ["/case/silent", "/case/bad"])?;
    let runtime = one_thread()?;
    runtime.block_on(async {
        let (page, tasks) = counting_tasks(&runtime, one_task([silent, bad])).await;
        assert_eq!(kind(page), Err(ErrorKind::InvalidHead));
        let open = open_in_the_end(&origin).await;
        assert_eq!(open, 0, "a future that was dropped has a connection");
        eprintln!(
            "try_join!: {tasks} tasks beside the future that `block_on` polls, and {open} \
             connections open in the end"
        );
    });
    Ok(())
}

#[test]
fn what_dropping_a_handle_does_and_what_abort_does() -> TestResult {
    let origin = origin()?;
    let [silent] = requests(&origin, ["/case/silent"])?;
    one_thread()?.block_on(async {
        let detached = tokio::spawn(get(silent.clone()));
        let aborted = tokio::spawn(get(silent));
        while origin.journal().len() < 2 {
            sleep(Duration::from_millis(5)).await;
        }
        let abort = detached.abort_handle();

        drop(detached);
        aborted.abort();
        let at_once = origin.open_connections();
        let joined = aborted.await;
        assert!(joined.is_err_and(|error| error.is_cancelled()));
        sleep(Duration::from_millis(300)).await;
        let later = origin.open_connections();
        eprintln!(
            "two tasks: one handle dropped, one task aborted; connections open at once: {at_once}, \
             later: {later}"
        );
        assert_eq!(later, 1, "the one whose handle was dropped");
        abort.abort();
    });
    Ok(())
}

#[test]
fn responses_have_the_order_of_their_requests() -> TestResult {
    let origin = origin()?;
    let requests = requests(&origin, ["/delay/120/1", "/delay/40/2", "/delay/80/3"])?;
    let runtime = one_thread()?;
    let responses = a_task_each(requests.into());
    let (responses, tasks) = runtime.block_on(counting_tasks(&runtime, responses));
    let lengths: Vec<_> = responses?.iter().map(|r| r.body().len()).collect();
    assert_eq!(lengths, [1, 2, 3], "the lengths of the responses, in order");
    assert_eq!(tasks, 3, "each fetch is to be a task");
    assert_eq!(origin.peak_in_flight(), 3, "and all of them at once");
    eprintln!("three fetches: {tasks} tasks");
    Ok(())
}

#[test]
fn whichever_fails_first_is_heard_first() -> TestResult {
    let origin = origin()?;
    let requests = requests(&origin, ["/case/silent", "/delay/20/16", "/case/bad"])?;
    one_thread()?.block_on(async {
        let group = timeout(2 * PATIENCE, a_task_each(requests.into())).await;
        let group = group.expect("request 2 had failed long ago, and others were waited for");
        assert_eq!(kind(group), Err(ErrorKind::InvalidHead));
    });
    Ok(())
}

#[test]
fn the_first_failure_ends_the_other_tasks() -> TestResult {
    let origin = origin()?;
    let requests = requests(&origin, ["/case/bad", "/case/silent", "/case/silent"])?;
    let runtime = one_thread()?;
    runtime.block_on(async {
        let group = timeout(2 * PATIENCE, a_task_each(requests.into())).await;
        let group = group.expect("request 0 had failed long ago, and others were waited for");
        assert_eq!(kind(group), Err(ErrorKind::InvalidHead));
        // The runtime goes on, so whatever was not ended goes on, too.
        let open = open_in_the_end(&origin).await;
        assert_eq!(
            open, 0,
            "the group has failed a second ago, and what it had started is still open: {open} \
             connections"
        );
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
    });
    Ok(())
}

#[test]
fn whoever_drops_the_group_ends_its_tasks() -> TestResult {
    let origin = origin()?;
    let requests = requests(&origin, ["/case/silent", "/case/silent"])?;
    let runtime = one_thread()?;
    runtime.block_on(async {
        let mut group = Box::pin(a_task_each(requests.into()));
        let end = Instant::now() + 2 * PATIENCE;
        while origin.open_connections() < 2 {
            assert!(Instant::now() < end, "the second request has not been sent");
            let group = timeout(Duration::from_millis(10), &mut group).await;
            assert!(
                group.is_err(),
                "the server is silent, and that gave {group:?}"
            );
        }
        drop(group);
        let open = open_in_the_end(&origin).await;
        assert_eq!(
            open, 0,
            "the group was dropped a second ago, and what it had started is still open: {open} \
             connections"
        );
        assert_eq!(runtime.metrics().num_alive_tasks(), 0);
    });
    Ok(())
}

/// An origin server that can be silent, and can fail after 50 ms.
fn origin() -> Result<Origin, Box<dyn std::error::Error>> {
    let origin = Origin::start(Config::default())?;
    origin.script("silent", Script::new().expect_request().stall())?;
    let bad = Script::new()
        .expect_request()
        .pause(Duration::from_millis(50));
    origin.script("bad", bad.send("no HTTP\r\n\r\n").close())?;
    Ok(origin)
}

fn requests<const N: usize>(
    origin: &Origin,
    paths: [&str; N],
) -> Result<[Request; N], Box<dyn std::error::Error>> {
    let requests: Result<Vec<_>, _> = paths
        .iter()
        .map(|path| Request::get(&origin.url(path)))
        .collect();
    Ok(requests?
        .try_into()
        .map_err(|_| "as many as there are paths")?)
}

fn kind<T>(result: Result<T, FetchError>) -> Result<(), ErrorKind> {
    result.map(drop).map_err(|error| error.kind())
}

/// Connections that are open when all are closed, or after a second.
async fn open_in_the_end(origin: &Origin) -> usize {
    let end = Instant::now() + PATIENCE;
    while origin.open_connections() > 0 && Instant::now() < end {
        sleep(Duration::from_millis(5)).await;
    }
    origin.open_connections()
}

/// The output of `future`, and the most tasks that there were after a poll of
/// it. What `block_on` itself polls is not counted.
async fn counting_tasks<F: Future>(runtime: &Runtime, future: F) -> (F::Output, usize) {
    let (mut future, mut tasks) = (pin!(future), 0);
    let output = poll_fn(|cx| {
        let polled = future.as_mut().poll(cx);
        tasks = tasks.max(runtime.metrics().num_alive_tasks());
        polled
    });
    (output.await, tasks)
}

/// A runtime that polls everything on the thread that calls it.
fn one_thread() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
