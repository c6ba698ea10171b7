//! One failure ends the others, or does not: `on_error`.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fetch_core::{ErrorKind, OnError, Options, Request};
use origin::{Origin, Script};

use super::names::Never;
use super::setup::{
    AMPLE, PROMPT, answer_after, at_most, closed_at, deadline, expect_body, expect_kind,
    expect_left, expect_prompt, fail_after, get, get_all, hold, passed, path_of, serve,
    start_origin,
};
use super::unreachable::Unreachable;
use super::{ContractCheck, check};
use crate::{Check, RefusingPort, Subject, Verdict, connections_made};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("cancel-closes-connections", closes_connections),
    check("cancel-what-was-never-started", never_started),
    check("cancel-after-refusal", after_refusal),
    check("cancel-while-sending", while_sending),
    check("cancel-while-resolving", while_resolving),
    check("cancel-while-connecting", while_connecting),
    check("cancel-nothing-if-all-succeed", all_succeed),
    check("finish-leaves-others-alone", finish),
];

/// When the fetch that fails does so.
const FAILS_AFTER: Duration = Duration::from_millis(200);

/// From then on; on a loaded machine the call as a whole may take a little
/// longer than closing the connections.
const WHOLE_CALL: Duration = Duration::from_secs(2);

fn cancel_others() -> Options {
    Options {
        on_error: OnError::CancelOthers,
        ..deadline(AMPLE)
    }
}

/// In whichever phase the others are, their connections are closed and they
/// are `cancelled`; what was complete stays so, and the first error keeps its
/// kind.
fn closes_connections(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let begun = |head: &'static str| Script::new().expect_request().send(head).stall();
    let quick = serve(&origin, "quick", answer_after(Duration::ZERO))?;
    let held = [
        serve(&origin, "silent", hold())?,
        serve(&origin, "in-head", begun("HTTP/1.1 200 OK\r\nX-A: "))?,
        serve(
            &origin,
            "counted",
            begun("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"),
        )?,
        // Its connection shut down looks like the end of this body.
        serve(&origin, "to-close", begun("HTTP/1.1 200 OK\r\n\r\nhello"))?,
        serve(
            &origin,
            "chunked",
            begun("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
        )?,
    ];
    let fails = serve(&origin, "fails", fail_after(FAILS_AFTER))?;

    let mut requests = get_all(&[&quick, &fails].map(String::as_str))?;
    for url in &held {
        requests.push(get(url)?);
    }
    let called = subject.fetch_all(requests, &cancel_others())?;
    expect_body("the fetch that was complete", &called.result[0], b"ok")?;
    expect_kind(
        "the fetch that fails",
        &called.result[1],
        ErrorKind::Disconnected,
    )?;
    for (url, result) in held.iter().zip(&called.result[2..]) {
        expect_kind(url, result, ErrorKind::Cancelled)?;
    }
    expect_prompt("the call", called.elapsed, FAILS_AFTER + WHOLE_CALL)?;

    let failed_at = closed_at(&origin, &path_of(&fails, origin.address()))?;
    for url in &held {
        expect_left(&origin, &path_of(url, origin.address()), failed_at)?;
    }
    passed()
}

/// What still queues is cancelled without a connection.
fn never_started(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let good = serve(&origin, "good", answer_after(Duration::ZERO))?;
    let fails = serve(&origin, "fails", fail_after(Duration::from_millis(50)))?;
    let options = Options {
        max_in_flight: at_most(1),
        ..cancel_others()
    };
    let requests = get_all(&[&good, &fails, &good, &good].map(String::as_str))?;
    let results = subject.fetch_all(requests, &options)?.result;
    expect_body("fetch 0", &results[0], b"ok")?;
    expect_kind("fetch 1", &results[1], ErrorKind::Disconnected)?;
    expect_kind("fetch 2, never started", &results[2], ErrorKind::Cancelled)?;
    expect_kind("fetch 3, never started", &results[3], ErrorKind::Cancelled)?;
    match connections_made(&origin)? {
        2 => passed(),
        count => Err(format!(
            "{count} connections were made, and 2 fetches were started"
        )),
    }
}

fn after_refusal(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let held = serve(&origin, "held", hold())?;
    let refusing = RefusingPort::reserve().map_err(|error| error.to_string())?;
    let refused = format!("http://{}/", refusing.address());
    let called = subject.fetch_all(get_all(&[&held, &refused])?, &cancel_others())?;
    expect_kind(
        "the refused fetch",
        &called.result[1],
        ErrorKind::ConnectRefused,
    )?;
    expect_kind("the other", &called.result[0], ErrorKind::Cancelled)?;
    // Windows asks three times before it takes a refusal for one.
    expect_prompt("the call", called.elapsed, WHOLE_CALL * 2)?;
    passed()
}

/// Buffers are full, and the server neither reads nor answers.
fn while_sending(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let url = serve(
        &origin,
        "unread",
        Script::new().expect_head().stall_unread(),
    )?;
    let no_fields: [(&str, &str); 0] = [];
    let upload = Request::new("POST", &url, no_fields, Bytes::from(vec![b'u'; 8 << 20]));
    let upload = upload.map_err(|error| error.to_string())?;
    beside_a_failure(subject, &origin, upload, cancel_others(), PROMPT)
}

fn while_resolving(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let never = Arc::new(Never::default());
    let options = Options {
        resolver: Arc::clone(&never) as _,
        ..cancel_others()
    };
    let request = get("http://name.test:8080/")?;
    let check = beside_a_failure(subject, &origin, request, options, PROMPT);
    never.release();
    check
}

/// `connect_timeout` gives no handle to cancel it with, so the stages that use
/// it notice when it returns: at the latest at the deadline.
fn while_connecting(subject: &Subject) -> Check {
    const DEADLINE: Duration = Duration::from_millis(1_500);
    let unreachable = match Unreachable::at((Ipv4Addr::LOCALHOST, 0).into()) {
        Ok(unreachable) => unreachable,
        Err(reason) => return Ok(Verdict::Skipped(reason)),
    };
    let origin = start_origin()?;
    let request = get(&format!("http://{}/", unreachable.address))?;
    let options = Options {
        deadline: DEADLINE,
        ..cancel_others()
    };
    beside_a_failure(subject, &origin, request, options, DEADLINE)
}

/// `request` runs beside a fetch that fails; it must be cancelled, and the call
/// be over within `limit` and the time that all else takes.
fn beside_a_failure(
    subject: &Subject,
    origin: &Origin,
    request: Request,
    options: Options,
    limit: Duration,
) -> Check {
    let fails = serve(origin, "fails", fail_after(FAILS_AFTER))?;
    let called = subject.fetch_all(vec![request, get(&fails)?], &options)?;
    expect_kind(
        "the fetch that fails",
        &called.result[1],
        ErrorKind::Disconnected,
    )?;
    expect_kind("the other", &called.result[0], ErrorKind::Cancelled)?;
    expect_prompt("the call", called.elapsed, FAILS_AFTER + limit + WHOLE_CALL)?;
    passed()
}

fn all_succeed(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let quick = serve(&origin, "quick", answer_after(Duration::ZERO))?;
    let slow = serve(&origin, "slow", answer_after(Duration::from_millis(200)))?;
    // Not even a status of failure is a failure to fetch.
    let missing = origin.url("/status/500");
    let requests = get_all(&[&quick, &missing, &slow].map(String::as_str))?;
    let results = subject.fetch_all(requests, &cancel_others())?.result;
    expect_body("fetch 0", &results[0], b"ok")?;
    expect_body("fetch 2", &results[2], b"ok")?;
    match &results[1] {
        Ok(response) if response.status().as_u16() == 500 => passed(),
        other => Err(format!("fetch 1, of /status/500: {other:?}")),
    }
}

fn finish(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let slow = serve(&origin, "slow", answer_after(Duration::from_millis(300)))?;
    let fails = serve(&origin, "fails", fail_after(Duration::ZERO))?;
    let requests = get_all(&[&slow, &fails, &slow].map(String::as_str))?;
    let results = subject.fetch_all(requests, &deadline(AMPLE))?.result;
    expect_body("fetch 0", &results[0], b"ok")?;
    expect_kind("fetch 1", &results[1], ErrorKind::Disconnected)?;
    expect_body("fetch 2", &results[2], b"ok")?;
    passed()
}
