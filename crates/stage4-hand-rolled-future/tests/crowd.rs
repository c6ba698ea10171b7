//! Thousands wait at once, on one thread, until they are dropped.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::rc::Rc;
use std::time::{Duration, Instant};

use fetch_core::{Options, Request};
use origin::{Config, Origin, Script};
use stage4_hand_rolled_future::by_hand;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

const CROWD: usize = 5000;

/// As many as this process may hold, both ends of each.
fn crowd() -> usize {
    let descriptors = rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let most = usize::try_from(descriptors.saturating_sub(200) / 2).unwrap();
    if most < CROWD {
        println!("{descriptors} descriptors: a crowd of {most} instead of {CROWD}");
    }
    most.min(CROWD)
}

/// Threads of this process now; `None` where the system does not tell.
fn threads() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let count = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    count.trim().parse().ok()
}

#[test]
fn a_crowd_waits_on_one_thread() {
    let origin = Origin::start(Config::default()).unwrap();
    let silent = Script::new().expect_request().stall();
    origin.script("silent", silent).unwrap();
    let request = Request::get(&origin.url("/case/silent")).unwrap();
    let options = Rc::new(Options {
        deadline: Duration::from_secs(300),
        ..Options::default()
    });
    let (crowd, before) = (crowd(), threads());

    let runtime = Runtime::new().unwrap();
    let start = |id| {
        let (options, reactor) = (Rc::clone(&options), Rc::clone(runtime.reactor()));
        runtime.spawn(by_hand::fetch(id, request.clone(), options, reactor))
    };
    let started = Instant::now();
    let tasks: Vec<_> = (0..crowd).map(start).collect();
    // A socket and a deadline each: who still connects has a second timer.
    let waiting = || runtime.reactor().registered() == (crowd, crowd);
    let all_wait = async {
        while origin.open_connections() < crowd || !waiting() {
            assert!(started.elapsed() < Duration::from_secs(60));
            let moment = Instant::now() + Duration::from_millis(20);
            Sleep::until(runtime.reactor(), 0, moment).await;
        }
    };
    runtime.block_on(all_wait).unwrap();
    println!("{crowd} wait after {:?}", started.elapsed());
    assert_eq!(threads(), before, "no thread was started");

    drop(tasks);
    assert_eq!(runtime.reactor().registered(), (0, 0));
    let dropped = Instant::now();
    while origin.open_connections() > 0 {
        assert!(dropped.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
}
