//! Thousands wait at once, on one thread.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::{Options, Request, Stage};
use origin::{Config, Origin};
use stage4_hand_rolled_future::{HandRolledFuture, Written};

const CROWD: usize = 5000;

/// Threads of this process now, where the system tells.
fn threads() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"));
    line.and_then(|count| count.trim().parse().ok())
        .unwrap_or(0)
}

#[test]
fn a_crowd_waits_on_one_thread() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/delay/4000/16")).unwrap();
    let options = Options {
        max_in_flight: NonZeroUsize::new(CROWD).unwrap(),
        ..Options::default()
    };
    let (over, peak) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicUsize::new(0)),
    );
    let watcher = thread::spawn({
        let (over, peak) = (Arc::clone(&over), Arc::clone(&peak));
        move || {
            while !over.load(Ordering::Relaxed) {
                peak.fetch_max(threads(), Ordering::Relaxed);
                thread::sleep(Duration::from_millis(20));
            }
        }
    });
    thread::sleep(Duration::from_millis(50));
    let before = peak.load(Ordering::Relaxed);
    let start = Instant::now();
    let stage = HandRolledFuture {
        fetch: Written::ByHand,
    };
    let results = stage.fetch_all(vec![request; CROWD], &options);
    let elapsed = start.elapsed();
    over.store(true, Ordering::Relaxed);
    watcher.join().unwrap();

    for result in &results {
        assert_eq!(
            result.as_ref().map(|response| response.body().len()),
            Ok(16)
        );
    }
    println!(
        "{CROWD} fetches in {elapsed:?}, {} at once",
        origin.peak_in_flight()
    );
    assert_eq!(origin.peak_in_flight(), CROWD);
    assert_eq!(
        peak.load(Ordering::Relaxed),
        before,
        "no thread was started"
    );
}
