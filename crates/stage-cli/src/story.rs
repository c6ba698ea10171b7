//! What happened in a run, event by event.

use std::thread::ThreadId;
use std::time::Duration;

/// A crowd with `--trace` says millions of things; nobody reads more.
const MOST_MOMENTS: usize = 100_000;

/// What happened, in the order in which it was heard.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) moments: Vec<Moment>,
    /// Events beyond the most that are kept.
    pub(crate) dropped: usize,
}

/// One event of the vocabulary.
pub(crate) struct Moment {
    /// Since the run began.
    pub(crate) at: Duration,
    pub(crate) thread: Thread,
    pub(crate) fetch: usize,
    pub(crate) what: What,
}

/// A thread, and its name if it has one.
pub(crate) type Thread = (ThreadId, Option<String>);

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    Started,
    Waiting { on: String },
    Woken { by: String },
    Resumed,
    Finished { outcome: String },
}

impl Story {
    pub(crate) fn push(&mut self, moment: Moment) {
        if self.moments.len() < MOST_MOMENTS {
            self.moments.push(moment);
        } else {
            self.dropped += 1;
        }
    }
}
