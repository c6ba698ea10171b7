//! Pages of two halves, on pools that are busy.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ex06_waits_for_itself::load_pages;
use fetch_core::ErrorKind;
use origin::{Config, Origin, Script, ScriptTooLarge};
use stage2_thread_pool::pool::Pool;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn one_worker_loads_a_page() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let started = Instant::now();
    let pages = load_pages(&pool(1, 2)?, &origin.url(""), &[42]);
    let took = started.elapsed().as_millis();
    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    eprintln!("a page of 80 + 120 ms on one worker: {took} ms");
    Ok(())
}

/// It is in the way of those who submit jobs inside of jobs, even if they do
/// not wait for them.
#[test]
fn room_for_one_job_is_enough() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let url = halves_after(Duration::from_millis(20), &origin)?;
    let pages = load_pages(&pool(1, 1)?, &url, &[42; 4]);
    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    Ok(())
}

#[test]
fn all_workers_work() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let url = halves_after(Duration::from_millis(100), &origin)?;
    let pages = load_pages(&pool(4, 64)?, &url, &[42; 8]);
    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    let most = origin.peak_in_flight();
    assert_eq!(
        most, 4,
        "8 pages on 4 workers, and at most {most} halves in flight"
    );
    eprintln!("8 pages on 4 workers: 9 are no longer needed, and one would do");
    Ok(())
}

#[test]
fn one_page_needs_both_workers_for_its_halves() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let url = halves_after(Duration::from_millis(250), &origin)?;
    let pages = load_pages(&pool(2, 2)?, &url, &[42]);
    assert!(pages.iter().all(Result::is_ok), "{pages:?}");
    let most = origin.peak_in_flight();
    assert_eq!(most, 2, "2 workers, and at most {most} half in flight");
    Ok(())
}

/// On so many workers there is always one to spare, and nobody sees the fault.
#[test]
fn each_user_has_the_right_page() -> TestResult {
    let origin = Origin::start(Config::default())?;
    for user in [1, 2, 3] {
        let name = format!("page/users/{user}");
        let profile = answer(&format!("user {user}"), Duration::from_millis(30));
        origin.script(&format!("{name}/profile"), profile)?;
        let orders = match user {
            2 => Script::new().expect_request().reset(),
            _ => answer(&format!("orders {user}"), Duration::ZERO),
        };
        origin.script(&format!("{name}/orders"), orders)?;
    }
    let pages = load_pages(&pool(9, 9)?, &origin.url("/case/page"), &[3, 2, 1]);
    let seen: Vec<_> = pages
        .into_iter()
        .map(|page| page.map_err(|error| error.kind()))
        .map(|page| page.map(|page| [page.profile, page.orders].map(|half| half.into_body())))
        .collect();
    assert_eq!(
        seen,
        [
            Ok(["user 3", "orders 3"].map(Into::into)),
            Err(ErrorKind::Disconnected),
            Ok(["user 1", "orders 1"].map(Into::into)),
        ],
        "the pages of the users 3, 2 and 1, of whom 2 has lost the orders"
    );
    Ok(())
}

/// Lets the origin answer for both halves of user 42 after `delay`, and gives
/// the URL under which they are.
fn halves_after(delay: Duration, origin: &Origin) -> Result<String, ScriptTooLarge> {
    origin.script("page/users/42/profile", answer("profile", delay))?;
    origin.script("page/users/42/orders", answer("orders", delay))?;
    Ok(origin.url("/case/page"))
}

fn answer(body: &str, after: Duration) -> Script {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    Script::new()
        .expect_request()
        .pause(after)
        .send(head + body)
}

fn pool(workers: usize, room: usize) -> io::Result<Arc<Pool>> {
    let number = |number| NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN);
    Pool::new(number(workers), number(room)).map(Arc::new)
}
