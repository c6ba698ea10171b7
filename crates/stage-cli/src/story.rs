//! What happened in a run, event by event.

use std::fmt;
use std::thread::ThreadId;
use std::time::Duration;

use tracing::field::{Field, Visit};

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

/// The fields of one event. All but `fetch` are words.
#[derive(Default)]
pub(crate) struct Fields {
    pub(crate) fetch: Option<usize>,
    message: String,
    /// The value of `on`, `by` or `outcome`: no event has two of them.
    detail: String,
}

impl Fields {
    /// What the event says, if it is one of the vocabulary.
    pub(crate) fn what(self) -> Option<What> {
        let detail = self.detail;
        Some(match self.message.as_str() {
            "started" => What::Started,
            "waiting" => What::Waiting { on: detail },
            "woken" => What::Woken { by: detail },
            "resumed" => What::Resumed,
            "finished" => What::Finished { outcome: detail },
            _ => return None,
        })
    }
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "fetch" {
            self.fetch = usize::try_from(value).ok();
        }
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        self.detail = value.to_owned();
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}
