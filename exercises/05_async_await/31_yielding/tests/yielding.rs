//! What others can do while one task computes. All on one thread.

use std::cell::Cell;
use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use ex31_yielding::{hash, search};
use fetch_core::{Options, Request};
use origin::{Config, Origin};
use stage5_async_await::fetch::fetch;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, yield_now};
use tokio::time::timeout;

type TestResult = Result<(), Box<dyn Error>>;

const PAGE: &[u8] = b"the news of today";

/// With so many zeros the search takes a while and ends.
const LONG: u32 = 17;

/// With so many it does not.
const FOR_EVER: u32 = 65;

#[test]
fn it_finds_the_smallest_number() -> TestResult {
    let runtime = one_thread()?;
    for zeros in [0, 1, 4, 8, 12] {
        let found = runtime.block_on(search(PAGE, zeros));
        let fits = |number: &u64| hash(PAGE, *number).leading_zeros() >= zeros;
        assert_eq!((0..).find(fits), Some(found), "{zeros} zeros");
    }
    Ok(())
}

#[test]
fn another_task_has_its_turns() -> TestResult {
    let turns = Rc::new(Cell::new(0));
    let tasks = LocalSet::new();
    let counted = Rc::clone(&turns);
    tasks.spawn_local(async move {
        loop {
            yield_now().await;
            counted.set(counted.get() + 1);
        }
    });
    let number = one_thread()?.block_on(tasks.run_until(search(PAGE, LONG)));
    let turns = turns.get();
    eprintln!("{number} numbers were tried, and the other task had {turns} turns");
    assert!(turns >= 20, "{turns} turns are fewer than 20");
    Ok(())
}

/// The opposite fault: a turn for every number.
#[test]
fn it_mostly_computes() -> TestResult {
    let mut polls = 0;
    let number = one_thread()?.block_on(async {
        let mut search = pin!(search(PAGE, LONG));
        poll_fn(|cx| {
            polls += 1;
            search.as_mut().poll(cx)
        })
        .await
    });
    assert!(
        polls < number / 20,
        "{polls} polls for {number} numbers: it gives way more than it computes"
    );
    Ok(())
}

#[test]
fn a_fetch_beside_it_gets_its_response() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let request = Request::get(&origin.url("/delay/50/16"))?;
    let options = Options::default();
    let response = one_thread()?.block_on(async {
        tokio::select! {
            response = fetch(0, &request, &options) => Some(response),
            _ = search(PAGE, FOR_EVER) => None,
        }
    });
    let response = response.ok_or("there is no such number, and it has one")??;
    assert_eq!(response.body().len(), 16);
    Ok(())
}

/// A timeout drops the future that it has; it can only do so between two polls.
#[test]
fn a_timeout_can_end_it() -> TestResult {
    let found = one_thread()?.block_on(async {
        let limit = Duration::from_millis(100);
        timeout(limit, search(PAGE, FOR_EVER)).await
    });
    assert!(found.is_err(), "there is no such number, and it has one");
    Ok(())
}

/// Who sleeps lets others live, too, but there is work to do.
#[test]
fn giving_way_is_not_sleeping() -> TestResult {
    // A runtime without a clock: whoever asks for one panics.
    let runtime = Builder::new_current_thread().build()?;
    let _ = runtime.block_on(search(PAGE, LONG));
    Ok(())
}

fn one_thread() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
