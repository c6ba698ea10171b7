//! Two halves of a page, loaded at once.

use std::time::{Duration, Instant};

use ex02_side_by_side::load_home;
use fetch_core::{ErrorKind, Options};
use origin::{Config, Origin, Script, ScriptTooLarge};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn both_halves_are_in_flight_at_once() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let slow = Duration::from_millis(300);
    let page = page_of(&origin, answer("profile", slow), answer("orders", slow))?;
    load_home(&page, 42, &Options::default())?;
    let most = origin.peak_in_flight();
    assert_eq!(
        most, 2,
        "the origin never saw more than {most} half in flight"
    );
    Ok(())
}

#[test]
fn the_page_of_the_articles() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let started = Instant::now();
    let home = load_home(&origin.url(""), 42, &Options::default())?;
    let took = started.elapsed().as_millis();
    assert_eq!([home.profile.status(), home.orders.status()], [200, 200]);
    eprintln!("80 ms for the profile, 120 ms for the orders, {took} ms for the page");
    Ok(())
}

/// The half that ends first need not be the first half.
#[test]
fn each_half_has_its_place() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let (slow, quick) = (Duration::from_millis(200), Duration::ZERO);
    let page = page_of(&origin, answer("profile", slow), answer("orders", quick))?;
    let home = load_home(&page, 42, &Options::default())?;
    assert_eq!(
        [home.profile.body(), home.orders.body()],
        ["profile", "orders"],
        "the orders came first, and their place is the second all the same"
    );
    Ok(())
}

#[test]
fn a_half_that_fails_ends_the_other() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let never = Script::new().expect_request().stall();
    let fails = Script::new().expect_request().reset();
    let page = page_of(&origin, never, fails)?;
    let options = Options {
        deadline: Duration::from_secs(2),
        ..Options::default()
    };
    let started = Instant::now();
    let failed = load_home(&page, 42, &options).map_err(|error| error.kind());
    let took = started.elapsed().as_millis();
    assert_eq!(
        failed.err(),
        Some(ErrorKind::Disconnected),
        "the orders failed at once, but the page waited for the profile until its deadline"
    );
    eprintln!("the orders failed at once, the profile would never come: an error after {took} ms");
    Ok(())
}

/// Lets the origin answer for the two halves with these scripts, and gives the
/// URL under which they are.
fn page_of(origin: &Origin, profile: Script, orders: Script) -> Result<String, ScriptTooLarge> {
    origin.script("page/users/42/profile", profile)?;
    origin.script("page/users/42/orders", orders)?;
    Ok(origin.url("/case/page"))
}

fn answer(body: &str, after: Duration) -> Script {
    let length = body.len();
    Script::new().expect_request().pause(after).send(format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"
    ))
}
