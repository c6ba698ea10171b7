//! Every order in which a wake can meet the executor. `scripts/loom.sh`
//!
//! loom runs a model once for each way in which its threads can interleave,
//! and for each value that a relaxed read may return; at the end of each run it
//! looks for what was not dropped. At most three times a run is a thread
//! interrupted where it does not wait: the models then take seconds, and nearly
//! all mistakes need fewer. `SeqCst` would prove nothing here, since loom treats
//! it as `AcqRel`; the crate asks for no more than that.
//!
//! A model that cannot fail proves nothing. So each has a *twin*, the same with
//! one mistake, and a test that loom finds the mistake. A deadlock aborts the
//! process, so twins run in one of their own.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests")]

mod last_drop;
mod park;
mod two_wakes;
mod wake_during_poll;

use std::process::Command;

use loom::sync::{Condvar, Mutex};

use stage4_hand_rolled_future::executor::{Executor, Park};

fn model(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Stands in for the reactor: sleeps until `unpark`, which it remembers.
#[derive(Default)]
struct Parker {
    unparked: Mutex<bool>,
    changed: Condvar,
}

impl Parker {
    fn unpark(self: &std::sync::Arc<Self>) -> Box<dyn Fn() + Send + Sync> {
        let parker = std::sync::Arc::clone(self);
        Box::new(move || {
            *parker.unparked.lock().unwrap() = true;
            parker.changed.notify_one();
        })
    }
}

impl Park for Parker {
    fn park(&self, may_wait: bool) -> std::io::Result<()> {
        let mut unparked = self.unparked.lock().unwrap();
        while may_wait && !*unparked {
            unparked = self.changed.wait(unparked).unwrap();
        }
        *unparked = false;
        Ok(())
    }
}

/// An executor, and where it sleeps.
fn executor() -> (Executor, std::sync::Arc<Parker>) {
    let parker = std::sync::Arc::new(Parker::default());
    (Executor::new(parker.unpark()), parker)
}

/// Runs a twin in a process of its own, which must fail and say why.
#[track_caller]
fn caught(twin: &str, complaint: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", twin, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(!output.status.success(), "{twin} passed");
    assert!(said.contains(complaint), "{twin} failed otherwise: {said}");
}
