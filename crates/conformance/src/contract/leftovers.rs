//! What is left behind after a thousand fetches, faults among them: nothing.

use std::process::{Command, Stdio};
use std::time::Duration;

use fetch_core::{ErrorKind, OnError, Options, Request};
use origin::{Origin, Script};

use super::setup::{
    AMPLE, answer_after, at_most, deadline, eventually, get, hold, passed, serve, start_origin,
};
use super::{ContractCheck, check};
use crate::machine::{at_rest, holdings};
use crate::{Check, RefusingPort, Subject, Verdict};

pub(crate) const NAME: &str = "nothing-left-behind";

pub(super) const CHECKS: &[ContractCheck] = &[check(NAME, nothing_left_behind)];

/// Tells a test program that it is the process of its own.
const ALONE: &str = "CONFORMANCE_ALONE";

const FETCHES: usize = 1_000;

/// Runs the check of this file in a second process of this very test program,
/// since the other tests of this one open descriptors and start threads, too.
pub(crate) fn in_a_process_of_its_own(subject: &Subject) -> Check {
    if std::env::var_os(ALONE).is_some() {
        return nothing_left_behind(subject);
    }
    let words = |error: std::io::Error| format!("no process of its own: {error}");
    let child = Command::new(std::env::current_exe().map_err(words)?)
        .args([
            "--exact",
            &format!("contract::{NAME}"),
            "--test-threads",
            "1",
        ])
        .env(ALONE, "1")
        .stdin(Stdio::null())
        .output()
        .map_err(words)?;
    let output = String::from_utf8_lossy(&child.stdout);
    match child.status.success() {
        true if output.contains("1 passed") => passed(),
        true if output.contains("1 ignored") => Ok(Verdict::Skipped(NOT_HERE.into())),
        _ => Err(format!("in a process of its own:\n{output}")),
    }
}

const NOT_HERE: &str = "not measured here: threads and descriptors are counted on Linux";

fn nothing_left_behind(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let faults = Faults::set_up(&origin)?;
    // Whatever is set up once and kept, such as a runtime, is there after the
    // first round.
    run_all(subject, &faults.requests(50)?)?;
    settle(&origin)?;
    let before = at_rest(holdings);

    run_all(subject, &faults.requests(FETCHES)?)?;
    cancel_some(subject, &faults)?;
    settle(&origin)?;
    let Some(before) = before else {
        return Ok(Verdict::Skipped(NOT_HERE.into()));
    };
    let mut after = before;
    let gone = eventually(
        "all threads and descriptors are given back",
        AMPLE / 4,
        || {
            after = holdings().unwrap_or(after);
            after.within(before)
        },
    );
    gone.map_err(|why| format!("{why}: {before:?} before, {after:?} after {FETCHES} fetches"))?;
    passed()
}

/// The origin sees every connection end.
fn settle(origin: &Origin) -> Result<(), String> {
    let none_open = || origin.open_connections() == 0;
    eventually("every connection is closed", AMPLE / 2, none_open)
        .map_err(|why| format!("{why}: {} are open", origin.open_connections()))
}

fn run_all(subject: &Subject, requests: &[Request]) -> Result<(), String> {
    let options = Options {
        max_in_flight: at_most(100),
        max_body_bytes: 1_000_000,
        ..deadline(Duration::from_millis(1_000))
    };
    let results = subject.fetch_all(requests.to_vec(), &options)?.result;
    // Only to be sure that faults and successes were what was meant.
    let ok = results.iter().filter(|result| result.is_ok()).count();
    let timeouts = results
        .iter()
        .filter(|result| matches!(result, Err(error) if error.kind() == ErrorKind::Timeout));
    let timeouts = timeouts.count();
    if ok < requests.len() / 2 || ok == requests.len() || timeouts == 0 {
        return Err(format!(
            "{ok} of {} succeeded, {timeouts} timed out",
            requests.len()
        ));
    }
    Ok(())
}

fn cancel_some(subject: &Subject, faults: &Faults) -> Result<(), String> {
    let options = Options {
        on_error: OnError::CancelOthers,
        max_in_flight: at_most(20),
        ..deadline(AMPLE)
    };
    for _ in 0..5 {
        let mut requests = vec![get(&faults.held)?; 30];
        requests[3] = get(&faults.closes)?;
        subject.fetch_all(requests, &options)?;
    }
    Ok(())
}

/// URLs of all sorts.
struct Faults {
    good: String,
    held: String,
    closes: String,
    others: Vec<String>,
    _refusing: RefusingPort,
}

impl Faults {
    fn set_up(origin: &Origin) -> Result<Faults, String> {
        let refusing = RefusingPort::reserve().map_err(|error| error.to_string())?;
        let begin = || Script::new().expect_request();
        let reset = begin()
            .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhe")
            .reset();
        let garbage = begin().send("garbage\r\n\r\n").stall();
        let chunk = begin()
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
            .stall();
        let large = begin()
            .send("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nhello")
            .stall();
        Ok(Faults {
            good: serve(origin, "good", answer_after(Duration::ZERO))?,
            held: serve(origin, "held", hold())?,
            closes: serve(origin, "closes", begin().close())?,
            others: vec![
                serve(origin, "reset", reset)?,
                serve(origin, "garbage", garbage)?,
                serve(origin, "chunk", chunk)?,
                serve(origin, "large", large)?,
                format!("http://{}/", refusing.address()),
            ],
            _refusing: refusing,
        })
    }

    /// `count` requests; most succeed, and a few wait for their deadline.
    fn requests(&self, count: usize) -> Result<Vec<Request>, String> {
        (0..count)
            .map(|index| match index % 50 {
                7 => get(&self.held),
                17 => get(&self.closes),
                other if other % 5 == 0 => get(&self.others[other / 5 % self.others.len()]),
                _ => get(&self.good),
            })
            .collect()
    }
}
