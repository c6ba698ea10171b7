//! One vocabulary for all stages: who waits, on what, and who wakes it.
//!
//! Each function is one [`tracing`] event under the target [`TARGET`]. Thread
//! and time are added by whoever listens. With nobody listening an event costs
//! one relaxed load and a branch.
//!
//! The life of a fetch, in every stage:
//!
//! ```text
//! started ──► waiting{on} ──► woken{by} ──► resumed ──┬─► finished{outcome}
//!                  ▲                                  │
//!                  └──────────────────────────────────┘
//! ```
//!
//! - [`started`]: the fetch has its place in flight; its deadline runs. Where
//!   fetches queue for their places as jobs or tasks (stages 2 and 4), one that
//!   had to has said so before, with `waiting` and `woken`; cancelled there, it
//!   ends without `started`. In the other stages there is nothing yet that could
//!   say so.
//! - [`waiting`]: it cannot go on. Said *before* a call that may block (stages
//!   1 and 2), or once the system has answered `WouldBlock` (stages 3 to 5).
//! - [`woken`]: what it waited for has happened, and it *may* run again. In
//!   stages 1 and 2 that is one moment with `resumed`, since the kernel does
//!   both.
//! - [`resumed`]: its code runs again.
//! - [`finished`]: it has its result, and holds nothing any more. A fetch that
//!   is cancelled in the middle of a wait is woken in stages 1 and 2, and finds
//!   it out by itself. In stages 3 to 5 it is taken away where it is, and none of
//!   its code runs again: there `finished` may follow `waiting` or `woken`, as it
//!   may if stage 3's poller fails.

use tracing::{Level, event, event_enabled};

use crate::FetchError;

/// The target under which all events are emitted.
pub const TARGET: &str = "wait";

/// What a fetch waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum On {
    /// Its turn: a worker or a permit.
    Queue,
    /// The addresses of a name.
    Name,
    /// The connection.
    Connect,
    /// Bytes from the server.
    Readable,
    /// Room for more bytes to the server.
    Writable,
    /// Whatever reqwest waits for; from outside that cannot be told.
    Reqwest,
}

/// Who ends a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum By {
    /// The operating system: the blocking call returned.
    Kernel,
    /// A worker of the pool took the job.
    Worker,
    /// The thread that looked the name up.
    Resolver,
    /// The reactor: an event for this fetch's socket.
    Reactor,
    /// The timer: this fetch's moment has come.
    Timer,
    /// Another fetch of the group.
    Sibling,
    /// A `Waker`, called by somebody who cannot be told from outside.
    Waker,
}

/// Whether anybody listens. Emitting an event needs no such question; building
/// something only in order to emit it does.
pub fn is_observed() -> bool {
    event_enabled!(target: TARGET, Level::TRACE)
}

/// Fetch `fetch` has its place in flight.
pub fn started(fetch: usize) {
    event!(target: TARGET, Level::TRACE, fetch, "started");
}

/// Fetch `fetch` cannot go on until `on`.
pub fn waiting(fetch: usize, on: On) {
    event!(target: TARGET, Level::TRACE, fetch, on = on.as_str(), "waiting");
}

/// Fetch `fetch` may go on, because of `by`.
pub fn woken(fetch: usize, by: By) {
    event!(target: TARGET, Level::TRACE, fetch, by = by.as_str(), "woken");
}

/// The code of fetch `fetch` runs again.
pub fn resumed(fetch: usize) {
    event!(target: TARGET, Level::TRACE, fetch, "resumed");
}

/// Fetch `fetch` is over. The outcome is `ok` or the error's kind.
pub fn finished<T>(fetch: usize, result: &Result<T, FetchError>) {
    let outcome = match result {
        Ok(_) => "ok",
        Err(error) => error.kind().as_str(),
    };
    event!(target: TARGET, Level::TRACE, fetch, outcome, "finished");
}

impl On {
    /// The word used in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            On::Queue => "queue",
            On::Name => "name",
            On::Connect => "connect",
            On::Readable => "readable",
            On::Writable => "writable",
            On::Reqwest => "reqwest",
        }
    }
}

impl By {
    /// The word used in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            By::Kernel => "kernel",
            By::Worker => "worker",
            By::Resolver => "resolver",
            By::Reactor => "reactor",
            By::Timer => "timer",
            By::Sibling => "sibling",
            By::Waker => "waker",
        }
    }
}
