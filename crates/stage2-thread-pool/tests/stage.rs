//! What is this stage's own: how many workers, and what becomes of the queue.
//! What all stages have in common is in `conformance.rs`.

#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::time::Duration;

use conformance::connections_made;
use fetch_core::{ErrorKind, OnError, Options, Request, Stage};
use origin::{Config, Origin, Script};
use stage2_thread_pool::ThreadPool;

fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

fn workers(workers: usize) -> ThreadPool {
    ThreadPool {
        workers: Some(number(workers)),
    }
}

fn in_flight(max_in_flight: usize) -> Options {
    Options {
        max_in_flight: number(max_in_flight),
        ..Options::default()
    }
}

fn origin() -> Origin {
    Origin::start(Config::default()).unwrap()
}

#[test]
fn one_worker_loads_the_home_page_one_half_after_the_other() {
    let origin = origin();
    let home = workers(1)
        .load_home(&origin.url(""), 42, &Options::default())
        .unwrap();
    assert_eq!([home.profile.status(), home.orders.status()], [200, 200]);

    assert_eq!(origin.peak_in_flight(), 1);
    let targets = origin
        .journal()
        .into_iter()
        .filter_map(|entry| entry.target);
    let targets: Vec<_> = targets.collect();
    assert_eq!(targets, ["/users/42/profile", "/users/42/orders"]);
}

#[test]
fn two_workers_load_it_side_by_side_whatever_may_be_in_flight() {
    let origin = origin();
    ThreadPool::default()
        .load_home(&origin.url(""), 42, &in_flight(1))
        .unwrap();
    assert_eq!(origin.peak_in_flight(), 2);
}

#[test]
fn a_half_that_failed_keeps_the_other_from_beginning() {
    let origin = origin();
    let resets = Script::new().expect_request().reset();
    let address = origin.listen(resets).unwrap();
    let url = format!("http://{address}");
    let failed = workers(1).load_home(&url, 42, &Options::default());
    assert_eq!(failed.unwrap_err().kind(), ErrorKind::Disconnected);
    assert_eq!(connections_made(&origin), Ok(1));
}

#[test]
fn in_flight_are_as_many_as_workers_and_never_more_than_allowed() {
    for (stage, options, peak) in [
        (workers(2), in_flight(64), 2),
        (workers(64), in_flight(3), 3),
        (ThreadPool::default(), in_flight(4), 4),
    ] {
        let origin = origin();
        let request = Request::get(&origin.url("/delay/40/1")).unwrap();
        let results = stage.fetch_all(vec![request; 12], &options);
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        assert_eq!(origin.peak_in_flight(), peak);
    }
}

#[test]
fn the_deadline_does_not_run_in_the_queue() {
    let origin = origin();
    let request = Request::get(&origin.url("/delay/400/1")).unwrap();
    let options = Options {
        deadline: Duration::from_secs(1),
        ..Options::default()
    };
    let results = workers(1).fetch_all(vec![request; 4], &options);
    assert!(results.iter().all(Result::is_ok), "{results:?}");
}

#[test]
fn nothing_to_do_needs_no_worker() {
    let results = workers(3).fetch_all(Vec::new(), &Options::default());
    assert!(results.is_empty());
}

/// Names the child process in which no thread can be started.
const WITHOUT_THREADS: &str = "STAGE2_TEST_WITHOUT_THREADS";

/// The stack that std asks for is larger than any address space, so starting a
/// thread fails as it does on a machine that has none left.
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
#[test]
fn without_a_thread_every_fetch_says_so() {
    let test = std::env::current_exe().unwrap();
    let child = std::process::Command::new(test)
        .args(["--exact", "child_without_threads", "--test-threads=1"])
        .env(WITHOUT_THREADS, "yes")
        .env("RUST_MIN_STACK", (1_u64 << 50).to_string())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(
        child.status.success() && said.contains("1 passed"),
        "{said}"
    );
}

#[test]
fn child_without_threads() {
    if std::env::var_os(WITHOUT_THREADS).is_none() {
        return;
    }
    let nowhere = SocketAddr::from(([127, 0, 0, 1], 1));
    let requests = vec![Request::get(&format!("http://{nowhere}/")).unwrap(); 3];
    let kinds = |on_error| {
        let options = Options {
            on_error,
            ..Options::default()
        };
        let results = ThreadPool::default().fetch_all(requests.clone(), &options);
        let kinds = results.into_iter().map(|result| result.unwrap_err().kind());
        kinds.collect::<Vec<_>>()
    };
    let (resources, cancelled) = (ErrorKind::Resources, ErrorKind::Cancelled);
    assert_eq!(kinds(OnError::Finish), [resources; 3]);
    assert_eq!(
        kinds(OnError::CancelOthers),
        [resources, cancelled, cancelled]
    );

    let home =
        ThreadPool::default().load_home(&format!("http://{nowhere}"), 1, &Options::default());
    assert_eq!(home.unwrap_err().kind(), resources);
}
