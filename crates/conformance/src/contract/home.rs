//! `load_home`: two fetches side by side, and all or nothing.

use std::time::Duration;

use fetch_core::{ErrorKind, FetchError, Home, OnError, Options};
use origin::{Origin, Script};

use super::setup::{
    AMPLE, answer_after, at_most, closed_at, connection, deadline, expect_left, expect_prompt,
    fail_after, hold, passed, start_origin,
};
use super::{ContractCheck, check};
use crate::{Check, Subject, Timed, connections_made};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("home", both),
    check("home-ignores-max-in-flight", ignores_max_in_flight),
    check("home-profile-fails", profile_fails),
    check("home-orders-fail", orders_fail),
    check("home-both-fail", both_fail),
    check("home-404", not_found),
    check("home-deadline", held),
    check("home-bad-origin", bad_origin),
];

/// Scripts live under this path, so it takes the place of the origin.
const SCRIPTED: &str = "/case";
const PROFILE: &str = "users/7/profile";
const ORDERS: &str = "users/7/orders";

/// When the half that fails does so.
const FAILS_AFTER: Duration = Duration::from_millis(200);

fn both(subject: &Subject) -> Check {
    side_by_side(subject, &deadline(AMPLE))
}

fn ignores_max_in_flight(subject: &Subject) -> Check {
    let options = Options {
        max_in_flight: at_most(1),
        ..deadline(AMPLE)
    };
    side_by_side(subject, &options)
}

fn side_by_side(subject: &Subject, options: &Options) -> Check {
    let origin = start_origin()?;
    let home = subject.load_home(&origin.url(""), 7, options)?.result;
    let home = home.map_err(|error| format!("it failed: {error}"))?;
    if home.profile.body() != r#"{"id":"7","name":"User 7"}"# {
        return Err(format!("the profile is {:?}", home.profile));
    }
    if home.orders.body() != r#"{"user":"7","orders":[{"item":"book","count":2}]}"# {
        return Err(format!("the orders are {:?}", home.orders));
    }
    for path in [PROFILE, ORDERS] {
        connection(&origin, &format!("/{path}"))?;
    }
    match (connections_made(&origin)?, origin.peak_in_flight()) {
        (2, 2) => passed(),
        (connections, peak) => Err(format!(
            "{connections} connections, {peak} in flight at once; two side by side are wanted"
        )),
    }
}

fn profile_fails(subject: &Subject) -> Check {
    one_fails(subject, PROFILE, ORDERS)
}

fn orders_fail(subject: &Subject) -> Check {
    one_fails(subject, ORDERS, PROFILE)
}

/// Whatever `on_error` says, the half that could go on is of no use.
fn one_fails(subject: &Subject, fails: &str, held: &str) -> Check {
    let origin = start_origin()?;
    script(&origin, fails, fail_after(FAILS_AFTER))?;
    script(&origin, held, hold())?;
    let options = Options {
        on_error: OnError::Finish,
        ..deadline(AMPLE)
    };
    let called = subject.load_home(&origin.url(SCRIPTED), 7, &options)?;
    expect_error(&called, ErrorKind::Disconnected)?;
    expect_prompt(
        "the call",
        called.elapsed,
        FAILS_AFTER + Duration::from_secs(2),
    )?;
    let failed_at = closed_at(&origin, &format!("{SCRIPTED}/{fails}"))?;
    expect_left(&origin, &format!("{SCRIPTED}/{held}"), failed_at)?;
    passed()
}

/// The error is that of the first to fail, and never `cancelled`.
fn both_fail(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let garbage = Script::new()
        .expect_request()
        .send("garbage\r\n\r\n")
        .close();
    script(&origin, PROFILE, fail_after(FAILS_AFTER))?;
    script(&origin, ORDERS, garbage)?;
    let called = subject.load_home(&origin.url(SCRIPTED), 7, &deadline(AMPLE))?;
    expect_error(&called, ErrorKind::InvalidHead)?;
    passed()
}

/// A status is part of a response, not a failure to get one.
fn not_found(subject: &Subject) -> Check {
    let origin = start_origin()?;
    script(&origin, ORDERS, answer_after(Duration::from_millis(100)))?;
    let home = subject
        .load_home(&origin.url(SCRIPTED), 7, &deadline(AMPLE))?
        .result;
    let home = home.map_err(|error| format!("it failed: {error}"))?;
    match (
        home.profile.status().as_u16(),
        home.orders.status().as_u16(),
    ) {
        (404, 200) => passed(),
        other => Err(format!("the statuses are {other:?} and not 404 and 200")),
    }
}

fn held(subject: &Subject) -> Check {
    let origin = start_origin()?;
    script(&origin, PROFILE, answer_after(Duration::ZERO))?;
    script(&origin, ORDERS, hold())?;
    let short = Duration::from_millis(500);
    let called = subject.load_home(&origin.url(SCRIPTED), 7, &deadline(short))?;
    expect_error(&called, ErrorKind::Timeout)?;
    expect_prompt("the call", called.elapsed, short + Duration::from_secs(3))?;
    passed()
}

fn bad_origin(subject: &Subject) -> Check {
    for (origin, kind) in [
        ("ftp://127.0.0.1", ErrorKind::UnsupportedScheme),
        ("127.0.0.1:8080", ErrorKind::InvalidUrl),
    ] {
        expect_error(&subject.load_home(origin, 7, &deadline(AMPLE))?, kind)?;
    }
    passed()
}

fn script(origin: &Origin, path: &str, script: Script) -> Result<(), String> {
    origin
        .script(path, script)
        .map_err(|error| error.to_string())
}

fn expect_error(called: &Timed<Result<Home, FetchError>>, kind: ErrorKind) -> Result<(), String> {
    match &called.result {
        Err(error) if error.kind() == kind => Ok(()),
        Err(error) => Err(format!(
            "the error is {} and not {kind}: {error}",
            error.kind()
        )),
        Ok(_) => Err(format!("it succeeded and should be {kind}")),
    }
}
