//! The steps on the way up do what they say.
#![allow(clippy::unwrap_used, reason = "tests")]

use origin::{Config, Origin};

#[allow(dead_code, reason = "its main")]
#[path = "../examples/state_as_poll.rs"]
mod state_as_poll;

#[allow(dead_code, reason = "its main")]
#[path = "../examples/block_on.rs"]
mod block_on;

#[allow(dead_code, reason = "its main")]
#[path = "../examples/queue_and_reactor.rs"]
mod queue_and_reactor;

#[allow(dead_code, reason = "its main")]
#[path = "../examples/sizes.rs"]
mod sizes;

#[test]
fn state_as_poll_waits_between_polls() {
    let origin = Origin::start(Config::default()).unwrap();
    let (response, polls) = state_as_poll::fetch(&origin.url("/delay/200/1000")).unwrap();
    assert_eq!(response.body().len(), 1000);
    // Busy polling would come to thousands.
    assert!((2..50).contains(&polls), "{polls} polls");
}

#[test]
fn block_on_runs_two_at_once() {
    let origin = Origin::start(Config::default()).unwrap();
    let (profile, orders) = block_on::load_home(origin.address());
    assert!(profile.unwrap().ends_with("User 42\"}"));
    assert!(orders.unwrap().contains("orders"));
    assert_eq!(origin.peak_in_flight(), 2);
}

#[test]
fn queue_and_reactor_waits_for_all_at_once() {
    let origin = Origin::start(Config::default()).unwrap();
    let responses = queue_and_reactor::crowd(origin.address(), 50).unwrap();
    assert_eq!(responses.len(), 50);
    for response in responses {
        assert!(response.unwrap().starts_with(b"HTTP/1.1 200"));
    }
    assert!(origin.peak_in_flight() > 1);
}

#[test]
fn both_futures_are_small_and_say_the_same() {
    use stage4_hand_rolled_future::Written;

    let origin = Origin::start(Config::default()).unwrap();
    let sizes = sizes::sizes(&origin.url("/")).unwrap();
    assert!(
        sizes.iter().all(|bytes| (100..4096).contains(bytes)),
        "{sizes:?}"
    );
    let by_hand = sizes::trace(Written::ByHand, &origin).unwrap();
    let by_compiler = sizes::trace(Written::ByCompiler, &origin).unwrap();
    for fetch in ["fetch 0", "fetch 1"] {
        let story = |lines: &[String]| -> Vec<String> {
            let own = lines.iter().filter(|line| line.starts_with(fetch));
            own.cloned().collect()
        };
        assert_eq!(story(&by_hand), story(&by_compiler));
        let said: Vec<_> = ["started", "waiting connect", "woken reactor", "resumed"]
            .iter()
            .chain(&[
                "waiting readable",
                "woken reactor",
                "resumed",
                "finished ok",
            ])
            .map(|what| format!("{fetch}: {what}"))
            .collect();
        assert_eq!(story(&by_hand), said);
    }
}
