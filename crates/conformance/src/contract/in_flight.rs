//! How many fetches are in flight, and in which order results are returned.

use std::time::Duration;

use fetch_core::{ErrorKind, Options};
use origin::Script;

use super::setup::{
    AMPLE, answer_after, at_most, deadline, expect_body, expect_kind, fail_after, get, get_all,
    passed, serve, start_origin,
};
use super::{ContractCheck, check};
use crate::{Check, Subject};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("in-flight-limit", limit),
    check("in-flight-one", one),
    check("in-flight-all", all_at_once),
    check(
        "in-flight-failures-free-their-place",
        failures_free_their_place,
    ),
    check("order-of-results", order),
    check("order-with-failures", order_with_failures),
    check("many-small", many_small),
    check("no-requests", no_requests),
];

fn limit(subject: &Subject) -> Check {
    peak(subject, 12, 3, 3)
}

fn one(subject: &Subject) -> Check {
    peak(subject, 4, 1, 1)
}

fn all_at_once(subject: &Subject) -> Check {
    peak(subject, 20, 64, 20)
}

/// `count` fetches, at most `limit` in flight, must reach `peak` and no more.
fn peak(subject: &Subject, count: usize, limit: usize, peak: usize) -> Check {
    // Long enough that a stage has time to start too many. On a loaded machine
    // it may not be long enough to start as many as it should, and then they
    // are held longer: that is slow, and no fault of the stage's.
    let mut reached = 0;
    for held in [150, 1000].map(Duration::from_millis) {
        reached = reached_while(subject, held, count, limit)?;
        if reached >= peak {
            break;
        }
    }
    if reached != peak {
        return Err(format!(
            "{count} fetches with max_in_flight {limit}: {reached} were in flight at once, and \
             not {peak}"
        ));
    }
    passed()
}

/// How many of `count` fetches are in flight at once, if each is `held`.
fn reached_while(
    subject: &Subject,
    held: Duration,
    count: usize,
    limit: usize,
) -> Result<usize, String> {
    let origin = start_origin()?;
    let url = serve(&origin, "slow", answer_after(held))?;
    let options = Options {
        max_in_flight: at_most(limit),
        ..deadline(AMPLE)
    };
    let results = subject
        .fetch_all(get_all(&vec![url.as_str(); count])?, &options)?
        .result;
    for (index, result) in results.iter().enumerate() {
        expect_body(&format!("fetch {index}"), result, b"ok")?;
    }
    Ok(origin.peak_in_flight())
}

/// Places are given back by fetches that fail as well.
fn failures_free_their_place(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let bad = serve(&origin, "bad", fail_after(Duration::ZERO))?;
    let good = serve(&origin, "good", answer_after(Duration::ZERO))?;
    let options = Options {
        max_in_flight: at_most(2),
        ..deadline(AMPLE)
    };
    let urls = [&bad, &bad, &bad, &bad, &bad, &good].map(String::as_str);
    let results = subject.fetch_all(get_all(&urls)?, &options)?.result;
    expect_kind("fetch 0", &results[0], ErrorKind::Disconnected)?;
    expect_body("fetch 5, behind five that fail", &results[5], b"ok")?;
    passed()
}

/// The first to be asked for is the last to answer.
fn order(subject: &Subject) -> Check {
    const COUNT: usize = 8;
    let origin = start_origin()?;
    let mut requests = Vec::new();
    for index in 0..COUNT {
        let delay = Duration::from_millis(40 * (COUNT - index) as u64);
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{index}");
        let script = Script::new()
            .expect_request()
            .pause(delay)
            .send(answer)
            .close();
        requests.push(get(&serve(&origin, &format!("order-{index}"), script)?)?);
    }
    let results = subject.fetch_all(requests, &deadline(AMPLE))?.result;
    for (index, result) in results.iter().enumerate() {
        expect_body(
            &format!("fetch {index}"),
            result,
            index.to_string().as_bytes(),
        )?;
    }
    passed()
}

fn order_with_failures(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let good = serve(&origin, "good", answer_after(Duration::from_millis(100)))?;
    let bad = serve(&origin, "bad", fail_after(Duration::from_millis(20)))?;
    let garbage = Script::new()
        .expect_request()
        .send("garbage\r\n\r\n")
        .close();
    let garbage = serve(&origin, "garbage", garbage)?;
    let requests = get_all(&[&garbage, &good, &bad, &good, &good].map(String::as_str))?;
    let results = subject.fetch_all(requests, &deadline(AMPLE))?.result;
    expect_kind("fetch 0", &results[0], ErrorKind::InvalidHead)?;
    expect_body("fetch 1", &results[1], b"ok")?;
    expect_kind("fetch 2", &results[2], ErrorKind::Disconnected)?;
    expect_body("fetch 3", &results[3], b"ok")?;
    expect_body("fetch 4", &results[4], b"ok")?;
    passed()
}

/// More fetches than places, and each its own answer.
fn many_small(subject: &Subject) -> Check {
    const COUNT: usize = 300;
    let origin = start_origin()?;
    let requests: Result<Vec<_>, _> = (0..COUNT)
        .map(|n| get(&origin.url(&format!("/bytes/{n}"))))
        .collect();
    let options = Options {
        max_in_flight: at_most(50),
        ..deadline(AMPLE)
    };
    let results = subject.fetch_all(requests?, &options)?.result;
    for (n, result) in results.iter().enumerate() {
        match result {
            Ok(response) if response.body().len() == n => {}
            Ok(response) => return Err(format!("fetch {n} has {} bytes", response.body().len())),
            Err(error) => return Err(format!("fetch {n} failed: {error}")),
        }
    }
    passed()
}

fn no_requests(subject: &Subject) -> Check {
    subject.fetch_all(Vec::new(), &deadline(AMPLE))?;
    passed()
}
