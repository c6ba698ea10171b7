//! Two fetches that need nothing of each other.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::time::{Duration, Instant};

use ex24_in_sequence_or_joined::load_home;
use origin::{Config, Origin, Script};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn profile_and_orders_are_at_the_origin_at_once() -> TestResult {
    let origin = origin_that_knows("/users/42")?;
    let start = Instant::now();
    let page = one_thread()?.block_on(load_home(&origin.url("")));
    let loaded = milliseconds(start, Instant::now());
    page?;
    let asked: Vec<String> = origin
        .journal()
        .iter()
        .map(|seen| {
            let target = seen.target.as_deref().unwrap_or_default();
            format!("{target} at {} ms", milliseconds(start, seen.opened))
        })
        .collect();
    let asked = asked.join(", ");
    let peak = origin.peak_in_flight();
    assert_eq!(
        peak, 2,
        "the origin has seen one request at a time: {asked}; the page was there at {loaded} ms"
    );
    eprintln!("asked: {asked}; the page was there at {loaded} ms");
    Ok(())
}

#[test]
fn each_half_has_its_place_and_is_fetched_once() -> TestResult {
    let origin = origin_that_knows("/users/42")?;
    let home = one_thread()?.block_on(load_home(&origin.url("")))?;
    assert!(
        home.profile.contains("User 42"),
        "profile: {}",
        home.profile
    );
    assert!(home.orders.contains("book"), "orders: {}", home.orders);
    assert_eq!(origin.accepted(), 3, "whoami, profile, orders: once each");
    Ok(())
}

#[test]
fn one_task_is_enough() -> TestResult {
    let origin = origin_that_knows("/users/42")?;
    let url = origin.url("");
    let runtime = one_thread()?;
    let mut page = pin!(load_home(&url));
    let (mut polls, mut tasks) = (0, 0);
    let page = runtime.block_on(poll_fn(|cx| {
        polls += 1;
        let polled = page.as_mut().poll(cx);
        // The future that `block_on` polls is not counted among the tasks.
        tasks = tasks.max(runtime.metrics().num_alive_tasks());
        polled
    }));
    page?;
    assert_eq!(
        tasks, 0,
        "{tasks} further tasks: waiting side by side needs none, and each has an end of its own"
    );
    eprintln!("three fetches, one future: {polls} polls, {tasks} further tasks");
    Ok(())
}

#[test]
fn whoever_drops_the_page_ends_what_it_waits_for() -> TestResult {
    let origin = origin_that_knows("/case/silent")?;
    for half in ["silent/profile", "silent/orders"] {
        origin.script(half, Script::new().expect_request().stall())?;
    }
    let url = origin.url("");
    one_thread()?.block_on(async {
        let given_up = timeout(Duration::from_millis(200), load_home(&url)).await;
        assert!(given_up.is_err(), "the server is silent: {given_up:?}");
        // The runtime goes on, so whatever was not dropped goes on, too.
        let patience = Instant::now() + Duration::from_secs(1);
        while Instant::now() < patience && open(&origin).is_some() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let open = open(&origin);
        assert!(
            open.is_none(),
            "the page was dropped, and a connection is still open: {open:?}"
        );
    });
    Ok(())
}

#[test]
fn the_error_of_a_half_is_the_error_of_the_page() -> TestResult {
    for broken in ["profile", "orders"] {
        let origin = origin_that_knows("/case/half")?;
        for half in ["profile", "orders"] {
            let script = Script::new().expect_request();
            let script = match half == broken {
                true => script.close(),
                false => script.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            };
            origin.script(&format!("half/{half}"), script)?;
        }
        let page = one_thread()?.block_on(load_home(&origin.url("")));
        assert!(page.is_err(), "without its {broken} it is no page");
    }
    Ok(())
}

/// An origin server whose `/case/whoami` answers `path`.
fn origin_that_knows(path: &str) -> Result<Origin, Box<dyn std::error::Error>> {
    let origin = Origin::start(Config::default())?;
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", path.len());
    origin.script("whoami", Script::new().expect_request().send(head + path))?;
    Ok(origin)
}

/// The target of a connection that the origin still has.
fn open(origin: &Origin) -> Option<String> {
    let mut journal = origin.journal().into_iter();
    let open = journal.find(|connection| connection.ended.is_none())?;
    Some(open.target.unwrap_or_default())
}

fn milliseconds(from: Instant, to: Instant) -> u128 {
    to.saturating_duration_since(from).as_millis()
}

/// A runtime that polls everything on the thread that calls it.
fn one_thread() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
