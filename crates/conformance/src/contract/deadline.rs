//! The deadline: of the whole fetch, from when it gets its place.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use fetch_core::Options;
use origin::Script;

use super::names::{Answers, Never};
use super::setup::{
    AMPLE, answer_after, at_most, deadline, expect_body, expect_timeout, get, get_all, hold,
    passed, serve, start_origin,
};
use super::unreachable::Unreachable;
use super::{ContractCheck, check};
use crate::{Check, Subject, Verdict};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("deadline-drip-in-head", drip_in_head),
    check("deadline-drip-in-body", drip_in_body),
    check("deadline-drip-of-interim-heads", drip_of_interim_heads),
    check("deadline-while-resolving", while_resolving),
    check("deadline-while-connecting", while_connecting),
    check("deadline-is-not-per-address", not_per_address),
    check("deadline-not-while-queueing", not_while_queueing),
    check("deadline-leaves-others-alone", leaves_others_alone),
    check("deadline-zero", zero),
    check("deadline-endless", endless),
];

const SHORT: Duration = Duration::from_millis(500);

/// Far shorter than the deadline: each byte would renew a deadline per read.
const DRIP: Duration = Duration::from_millis(50);

fn drip_in_head(subject: &Subject) -> Check {
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nX-A: ");
    times_out(
        subject,
        "a head that drips",
        script.drip(1_000, DRIP).stall(),
    )
}

fn drip_in_body(subject: &Subject) -> Check {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n";
    let script = Script::new().expect_request().send(head);
    times_out(
        subject,
        "a body that drips",
        script.drip(1_000, DRIP).stall(),
    )
}

fn drip_of_interim_heads(subject: &Subject) -> Check {
    let mut script = Script::new().expect_request();
    for _ in 0..200 {
        script = script.send("HTTP/1.1 100 Continue\r\n\r\n").pause(DRIP);
    }
    times_out(subject, "interim heads that drip", script.stall())
}

fn times_out(subject: &Subject, what: &str, script: Script) -> Check {
    let origin = start_origin()?;
    let url = serve(&origin, "drip", script)?;
    let fetched = subject.fetch(get(&url)?, &deadline(SHORT))?;
    expect_timeout(what, &fetched, SHORT)?;
    passed()
}

fn while_resolving(subject: &Subject) -> Check {
    let never = Arc::new(Never::default());
    let options = Options {
        resolver: Arc::clone(&never) as _,
        ..deadline(SHORT)
    };
    let fetched = subject.fetch(get("http://name.test:8080/")?, &options);
    never.release();
    expect_timeout("a name that is never resolved", &fetched?, SHORT)?;
    passed()
}

fn while_connecting(subject: &Subject) -> Check {
    let unreachable = match Unreachable::at((Ipv4Addr::LOCALHOST, 0).into()) {
        Ok(unreachable) => unreachable,
        Err(reason) => return Ok(Verdict::Skipped(reason)),
    };
    let url = format!("http://{}/", unreachable.address);
    let fetched = subject.fetch(get(&url)?, &deadline(SHORT))?;
    expect_timeout("a connection that is never made", &fetched, SHORT)?;
    passed()
}

/// Ten addresses that hang are not worth ten deadlines.
fn not_per_address(subject: &Subject) -> Check {
    const ADDRESSES: usize = 10;
    let unreachable = match Unreachable::at((Ipv4Addr::LOCALHOST, 0).into()) {
        Ok(unreachable) => unreachable,
        Err(reason) => return Ok(Verdict::Skipped(reason)),
    };
    let answers = Answers::at_once([unreachable.address.ip(); ADDRESSES]);
    let options = Options {
        resolver: Arc::new(answers),
        ..deadline(SHORT)
    };
    let url = format!("http://name.test:{}/", unreachable.address.port());
    let fetched = subject.fetch(get(&url)?, &options)?;
    expect_timeout("a name with ten addresses that hang", &fetched, SHORT)?;
    passed()
}

/// Four fetches one after the other take longer than the deadline of each.
fn not_while_queueing(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let url = serve(&origin, "slow", answer_after(Duration::from_millis(300)))?;
    let options = Options {
        max_in_flight: at_most(1),
        ..deadline(Duration::from_millis(1_000))
    };
    let results = subject
        .fetch_all(get_all(&[url.as_str(); 4])?, &options)?
        .result;
    for (index, result) in results.iter().enumerate() {
        expect_body(
            &format!("fetch {index}, whose queue is not its deadline"),
            result,
            b"ok",
        )?;
    }
    passed()
}

fn leaves_others_alone(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let held = serve(&origin, "held", hold())?;
    let good = serve(&origin, "good", answer_after(Duration::from_millis(100)))?;
    let requests = get_all(&[&good, &held, &good].map(String::as_str))?;
    let mut called = subject.fetch_all(requests, &deadline(SHORT))?;
    expect_body("fetch 0", &called.result[0], b"ok")?;
    expect_body("fetch 2", &called.result[2], b"ok")?;
    let held = crate::Timed {
        result: called.result.swap_remove(1),
        elapsed: called.elapsed,
    };
    expect_timeout("fetch 1", &held, SHORT)?;
    passed()
}

fn zero(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let url = serve(&origin, "held", hold())?;
    let fetched = subject.fetch(get(&url)?, &deadline(Duration::ZERO))?;
    expect_timeout("a deadline of zero", &fetched, Duration::ZERO)?;
    passed()
}

/// The clock cannot express every deadline; none may panic or be over at once.
fn endless(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let url = serve(&origin, "slow", answer_after(Duration::from_millis(50)))?;
    for long in [
        AMPLE,
        Duration::from_secs(u64::from(u32::MAX)),
        Duration::MAX,
    ] {
        let fetched = subject.fetch(get(&url)?, &deadline(long))?;
        expect_body(&format!("a deadline of {long:?}"), &fetched.result, b"ok")?;
    }
    passed()
}
