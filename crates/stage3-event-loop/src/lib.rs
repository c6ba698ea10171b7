//! Stage 3: one thread and a state machine by hand.
//!
//! - **What waits:** nothing that could be seen in a debugger. A struct lies in
//!   a slab; the one thread there is sleeps in `poll`, for all of them at once.
//! - **Where the wait is kept:** in the fields of that struct. The local
//!   variables of stage 1 have become fields, and the place in the code has
//!   become [a phase](fetch).
//! - **Who wakes it:** the operating system says which sockets may be ready.
//!   The loop finds the struct by its token and calls it; it does what can be
//!   done and returns.
//! - **What it costs:** no stack; about 700 bytes of heap for every fetch that
//!   waits for its answer, as `tests/crowd` measures. And a price that no
//!   benchmark shows: whatever the compiler did with the stack is to be done by
//!   hand, in the right order, on every path.
//!
//! ```text
//!                 an answer           writable            all is sent, or
//!                 from the resolver   and no error        there is an answer
//!     Resolving ──────► Connecting ──────► Sending ──────► ReadingHead
//!                        │      ▲                               │ the empty line
//!                        └──────┘                               ▼
//!                  refused, or too slow:                   ReadingBody ──► Done
//!                  the next address                             all of it has come
//!
//!     In every phase: the deadline, the end of the connection, a sibling's failure.
//! ```
//!
//! Stage 1 needs no such picture. There the arrows are calls and returns, and
//! the text of a function is the picture. Lay its `fetch.rs` beside ours, where
//! `read_head` and `read_body` are the same loops with one more way out, "not
//! now".
//!
//! One blocking call in here would stop everybody. Names are therefore
//! [resolved](resolver) on other threads.
//!
//! Three smaller programs lead here: `examples/busy_poll.rs` does not block and
//! does not sleep either, `examples/one_connection.rs` sleeps, with one state,
//! and `examples/nio_sketch.rs` shows what a short sketch of such a loop gets
//! wrong.
//!
//! Read in this order: [`fetch`] (the state, and what each event does to it),
//! [`connection`] (what can be done without waiting), [`event_loop`] (who calls
//! whom) and [`turn`] (for how long), [`slots`] and [`timers`] (how a state is
//! found again), [`parent`] (who waits for several), then [`attempts`],
//! [`resolver`], and the two functions below.

pub mod attempts;
pub mod connection;
pub mod event_loop;
pub mod fetch;
pub mod parent;
pub mod resolver;
pub mod slots;
pub mod timers;
pub mod turn;

use fetch_core::{FetchError, Home, Options, Request, Response, Stage, home_requests};

use crate::parent::{Batch, HomePage};

/// Runs all fetches on the thread that asks for them.
#[derive(Debug, Clone, Copy, Default)]
pub struct EventLoop;

impl Stage for EventLoop {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let mut batch = Batch::new(&requests, options);
        event_loop::run(options, requests.len(), &mut batch);
        batch.into_results()
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let requests = home_requests(origin, user)?;
        let mut page = HomePage::new(&requests);
        event_loop::run(options, requests.len(), &mut page);
        page.into_home()
    }
}
