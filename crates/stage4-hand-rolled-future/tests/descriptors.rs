//! A machine without descriptors is an error of the fetch, and no panic.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command;

use origin::{Config, Origin};

/// The program, with so many descriptors. Three are its standard streams.
fn run(descriptors: usize, origin: &Origin) -> String {
    let program = env!("CARGO_BIN_EXE_stage4-hand-rolled-future");
    let url = origin.url("/delay/200/1");
    let fetch = format!("exec {program} --repeat 40 --max-in-flight 40 --json {url}");
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("ulimit -n {descriptors}; {fetch}"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_does_not_fit_fails_and_the_rest_goes_on() {
    let origin = Origin::start(Config::default()).unwrap();
    let said = run(20, &origin);
    assert_eq!(said.lines().count(), 40);
    let lines = |what| said.lines().filter(|line| line.contains(what)).count();
    let (ok, resources) = (lines("\"outcome\":\"ok\""), lines("\"kind\":\"resources\""));
    assert_eq!(ok + resources, 40, "{said}");
    assert!(ok > 0 && resources > 0, "{said}");
}

#[test]
fn without_a_poller_all_fail() {
    let origin = Origin::start(Config::default()).unwrap();
    // A fourth, since the program must be loaded; the poller needs more.
    let said = run(4, &origin);
    let resources = said.matches("\"kind\":\"resources\"").count();
    assert_eq!(resources, 40, "{said}");
}
