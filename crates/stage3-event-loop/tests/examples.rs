//! The two steps that lead to this stage give right answers, and cost what they
//! say they cost. The sketch gives the wrong ones that it is there to show.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../examples/busy_poll.rs"]
mod busy_poll;
#[path = "../examples/nio_sketch.rs"]
mod nio_sketch;
#[path = "../examples/one_connection.rs"]
mod one_connection;

use std::time::Duration;

use fetch_core::Request;
use origin::{Config, Origin};

#[test]
fn busy_poll_is_right_and_keeps_a_processor_busy() {
    let origin = Origin::start(Config::default()).unwrap();
    let paths = ["/delay/300/26", "/drip/10/20", "/chunked/100000"];
    let requests = paths.map(|path| Request::get(&origin.url(path)).unwrap());
    let (responses, cost) = busy_poll::fetch_side_by_side(&requests).unwrap();

    let lengths: Vec<usize> = responses.iter().map(|r| r.body().len()).collect();
    assert_eq!(lengths, [26, 10, 100_000]);
    assert_eq!(responses[0].body().as_ref(), b"abcdefghijklmnopqrstuvwxyz");
    assert!(cost.in_vain > 100, "{cost:?}");
    // Other programs may take the processor away, so how much of the time it
    // was is not judged here; a fetch that sleeps uses less than one tick.
    let cpu_time = cost.cpu_time.unwrap_or(Duration::MAX);
    assert!(cpu_time >= Duration::from_millis(10), "{cost:?}");
}

#[test]
fn one_connection_is_right_and_is_woken_a_few_times() {
    let origin = Origin::start(Config::default()).unwrap();
    for (path, length, most_wakings) in [
        ("/delay/100/26", 26, 10),
        ("/drip/10/5", 10, 30),
        ("/chunked/100000", 100_000, u32::MAX),
        ("/status/204", 0, 10),
    ] {
        let request = Request::get(&origin.url(path)).unwrap();
        let (response, wakings) = one_connection::fetch(&request).unwrap();
        assert_eq!(response.body().len(), length, "{path}");
        assert!(wakings <= most_wakings, "{path}: {wakings}");
    }
}

#[test]
fn one_connection_reports_what_goes_wrong() {
    let origin = Origin::start(Config::default()).unwrap();
    let closes = origin::Script::new().expect_request().close();
    origin.script("closes", closes).unwrap();
    let request = Request::get(&origin.url("/case/closes")).unwrap();
    let error = one_connection::fetch(&request).unwrap_err();
    assert!(
        error.to_string().contains("closed the connection"),
        "{error}"
    );
}

#[test]
fn nio_sketch_has_its_three_faults() {
    use nio_sketch::{Phase, faults, run, serve};

    let mut ends = Vec::new();
    for (_, response) in faults() {
        let (address, server) = serve(response).unwrap();
        let (state, turns) = run(address).unwrap();
        let closed = server.join().unwrap().unwrap();
        assert!(!closed, "the connection is kept open");
        ends.push((state.phase, turns < 100));
    }
    let done = (Phase::Done, true);
    assert_eq!(ends, [(Phase::ReadingHeaders, false), done, done]);
}

#[test]
fn all_programs_run() {
    busy_poll::main().unwrap();
    nio_sketch::main().unwrap();
    one_connection::main().unwrap();
}
