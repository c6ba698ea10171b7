//! Hears the trace of a stage that runs in this process.
//!
//! It is how the lab looks into all stages alike: how often each event came,
//! how long each fetch took, the whole story for the timeline. And since an
//! event is heard on the thread that runs the fetch, it is also where the lab
//! gives a fetch something to do: a computation when it finishes, or a call that
//! blocks when it resumes, with no change to any stage; and where it can look at
//! the stack on which the fetch has just stopped.

use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use backtrace::Backtrace;
use fetch_core::wait;
use serde_json::{Value, json};
use tracing::field::{Field, Visit};
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber, span};

use crate::contestants::chain;
use crate::failure::{During, Outcome};
use crate::measure::work::Work;

/// What to do when an event is heard.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Orders {
    /// Compute when a fetch finishes.
    pub(crate) work: Option<Work>,
    /// Block so long when fetch 0 resumes for the first time.
    pub(crate) stall: Option<Duration>,
    /// Keep the call chain when fetch 0 first waits for an answer.
    pub(crate) chain: bool,
}

/// One event.
#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub(crate) at: Instant,
    pub(crate) thread: String,
    pub(crate) fetch: u64,
    /// `started`, `waiting`, `woken`, `resumed`, `finished`.
    pub(crate) what: String,
    /// What it waits on, who woke it, or how it ended.
    pub(crate) detail: String,
}

/// Listens for as long as the process runs.
pub(crate) struct Hearing(&'static Notes);

struct Ear {
    orders: Orders,
    notes: &'static Notes,
}

/// What the ear has heard so far.
#[derive(Default)]
struct Notes {
    /// Set once the warm-up is over, and taken back by the fetch that stalls.
    may_stall: AtomicBool,
    story: Mutex<Vec<Heard>>,
    /// On which fetch 0 first waited for an answer.
    stack: Mutex<Option<Backtrace>>,
}

impl Hearing {
    /// Begins to listen. Once a process.
    pub(crate) fn start(orders: Orders) -> Outcome<Self> {
        // For good: a subscriber cannot be taken back.
        let notes: &'static Notes = Box::leak(Box::default());
        tracing::subscriber::set_global_default(Ear { orders, notes })
            .during("listening to the trace")?;
        Ok(Hearing(notes))
    }

    /// The warm-up is over: forgets it, and lets the next fetch 0 stall.
    pub(crate) fn begin(&self) {
        self.take();
        *lock(&self.0.stack) = None;
        self.0.may_stall.store(true, Ordering::Relaxed);
    }

    /// What was heard since the last time, by the clock.
    pub(crate) fn take(&self) -> Vec<Heard> {
        let mut story = std::mem::take(&mut *lock(&self.0.story));
        story.sort_by_key(|heard| heard.at);
        story
    }

    /// The functions of the stages that were on the stack when fetch 0 first
    /// waited for an answer, innermost first.
    pub(crate) fn take_chain(&self) -> Vec<String> {
        let stack = lock(&self.0.stack).take();
        stack.map(chain::of_stages).unwrap_or_default()
    }
}

/// How often each event was heard, and how long the fetches took.
pub(crate) fn summary(story: &[Heard]) -> Value {
    let count = |what: &str| story.iter().filter(|heard| heard.what == what).count();
    json!({
        "waiting": count("waiting"),
        "woken": count("woken"),
        "resumed": count("resumed"),
        "finished": count("finished"),
        "latencies_us": latencies(story),
    })
}

/// For each fetch, from its start to its end. Both are in order of time.
fn latencies(story: &[Heard]) -> Vec<f64> {
    let mut started = std::collections::HashMap::new();
    let mut latencies = Vec::new();
    for heard in story {
        if heard.what == "started" {
            started.insert(heard.fetch, heard.at);
        } else if heard.what == "finished"
            && let Some(started) = started.remove(&heard.fetch)
        {
            latencies.push((heard.fetch, (heard.at - started).as_micros() as f64));
        }
    }
    latencies.sort_by_key(|(fetch, _)| *fetch);
    latencies.into_iter().map(|(_, us)| us).collect()
}

impl Subscriber for Ear {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut words = Words::default();
        event.record(&mut words);
        let Some(fetch) = words.fetch else { return };
        let heard = Heard {
            at: Instant::now(),
            thread: name(&thread::current()),
            fetch,
            what: words.what,
            detail: words.detail,
        };
        let (finished, resumed) = (heard.what == "finished", heard.what == "resumed");
        if let Some(work) = self.orders.work.filter(|_| finished) {
            work.run();
        }
        let answer = matches!(&*heard.detail, "readable" | "reqwest");
        if self.orders.chain && fetch == 0 && heard.what == "waiting" && answer {
            lock(&self.notes.stack).get_or_insert_with(chain::here);
        }
        let stall = self.orders.stall.filter(|_| resumed && fetch == 0);
        lock(&self.notes.story).push(heard);
        if let Some(time) = stall
            && self.notes.may_stall.swap(false, Ordering::Relaxed)
        {
            thread::sleep(time);
        }
    }

    // No span is ever enabled.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

/// The fields of one event.
#[derive(Default)]
struct Words {
    fetch: Option<u64>,
    what: String,
    detail: String,
}

impl Visit for Words {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "fetch" {
            self.fetch = Some(value);
        }
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        self.detail = value.to_owned();
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.what = format!("{value:?}");
        }
    }
}

/// `main`, or a name and a number: several may share the name.
fn name(thread: &thread::Thread) -> String {
    let number = format!("{:?}", thread.id());
    let number = number.trim_start_matches("ThreadId(").trim_end_matches(')');
    match thread.name() {
        Some("main") => "main".to_owned(),
        name => format!("{} {number}", name.unwrap_or("thread")),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
