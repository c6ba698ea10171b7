//! Stage 4: futures, wakers and an executor by hand.
//!
//! - **What waits:** a value. A fetch is a future, and while it waits nobody
//!   runs it and no stack belongs to it.
//! - **Where the wait is kept:** in an enum that `poll` left behind: which
//!   variant it is says where the work stopped, and its fields are what is
//!   needed after it. [We have written that enum](by_hand); and, from an `async
//!   fn`, [the compiler has](by_compiler).
//! - **Who wakes it:** the [reactor], which waits on the operating system for all
//!   sockets, calls the fetch's `Waker`. That runs nothing: it puts a task into
//!   a [queue]. The [executor] takes it out and polls the future, from
//!   the root down to the leaf that waited.
//! - **What it costs:** about 0.9 kB of heap for a waiting fetch by hand, and
//!   1.1 kB for one by the compiler (`tests/heap_per_fetch.rs`); a walk from
//!   root to leaf for each wake; and a runtime, which somebody has to write.
//!
//! ```text
//!                      poll                 poll                    WouldBlock: leave
//!   executor ───────────────► Fetch::poll ─────► TcpStream::poll_read ─── the waker ───┐
//!      ▲                           │                     │                             │
//!      │                           ◄────── Pending ──────┘                             ▼
//!      ◄────────── Pending ────────┘                                               reactor
//!      │                                                                               │
//!      │ pop      ┌───────────┐  push          wake                 an event, a timer  │
//!      └──────────│ run queue │◄────── Task ◄────── Waker ◄────────────────────────────┘
//!                 └───────────┘
//! ```
//!
//! What is new since stage 3 is not the state machine. It is that the loop knows
//! nothing of fetches and a fetch nothing of the loop: between them is a trait
//! of one function, `Future::poll`, and a type of one message, `Waker`. So
//! fetches can be put together by those who know neither
//! ([`TryJoin`], [`Timeout`](timeout::Timeout)), and to cancel one
//! is to drop it.
//!
//! Read in this order, in three sittings.
//!
//! *The way up*, each a program to run: `examples/state_as_poll.rs` (stage 3's
//! struct behind `poll`), `examples/block_on.rs` (thirty lines that run one
//! future), `examples/queue_and_reactor.rs` (many futures, a queue, a reactor).
//!
//! *The fetch and what it is made of*: [`by_hand`] (the enum), [`by_compiler`]
//! (the same, as stage 1 would write it), [`connection`] and [`connecting`],
//! [`tcp`] and [`connect`] (where `WouldBlock` becomes `Pending`), [`resolve`] (a
//! wake from another thread), [`clock`], [`timers`] and [`timeout`], [`join`],
//! [`semaphore`], [`group`] and the functions below. `examples/sizes.rs` compares
//! the two fetches; [`lane`] is for the trace only.
//!
//! *The runtime*: [`task`], [`queue`], [`executor`] and [`handle`] (spawned
//! tasks), [`reactor`] and [`waits`], [`runtime`]. What is marked *second
//! reading* can wait: the table of functions in [`waker`], how the executor and a
//! socket keep from starving the others, and `tests/loom`, which tries every
//! order in which threads can meet here.

pub mod by_compiler;
pub mod by_hand;
pub mod clock;
pub mod connect;
pub mod connecting;
pub mod connection;
pub mod executor;
pub mod group;
pub mod handle;
pub mod join;
pub mod lane;
pub mod queue;
pub mod reactor;
pub mod resolve;
pub mod runtime;
pub mod semaphore;
mod sync;
pub mod task;
pub mod tcp;
pub mod timeout;
pub mod timers;
pub mod waits;
pub mod waker;

use std::future::Future;
use std::io;
use std::rc::Rc;

use fetch_core::{FetchError, Home, Options, Request, Response, Stage, home_requests};

use crate::join::TryJoin;
use crate::reactor::Reactor;
use crate::runtime::Runtime;

/// Polls futures, all of them on the thread that calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandRolledFuture {
    /// Which of the two fetches it runs. Whoever runs them cannot tell them
    /// apart.
    pub fetch: Written,
}

/// Who has written the state machine of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Written {
    /// We: [`by_hand`].
    #[default]
    ByHand,
    /// The compiler: [`by_compiler`].
    ByCompiler,
}

impl Stage for HandRolledFuture {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let count = requests.len();
        let results = match self.fetch {
            Written::ByHand => fetch_all(requests, options, by_hand::fetch),
            Written::ByCompiler => fetch_all(requests, options, by_compiler::fetch),
        };
        results.unwrap_or_else(|error| vec![Err(no_reactor(&error)); count])
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let requests = home_requests(origin, user)?;
        let home = match self.fetch {
            Written::ByHand => load_home(requests, options, by_hand::fetch),
            Written::ByCompiler => load_home(requests, options, by_compiler::fetch),
        };
        home.unwrap_or_else(|error| Err(no_reactor(&error)))
    }
}

fn fetch_all<F>(
    requests: Vec<Request>,
    options: &Options,
    fetch: fn(usize, Request, Rc<Options>, Rc<Reactor>) -> F,
) -> io::Result<Vec<Result<Response, FetchError>>>
where
    F: Future<Output = Result<Response, FetchError>> + 'static,
{
    let runtime = Runtime::new()?;
    let shared = Rc::new(options.clone());
    let start = |id, request| {
        let reactor = Rc::clone(runtime.reactor());
        fetch(id, request, Rc::clone(&shared), reactor)
    };
    runtime.block_on(group::fetch_all(&runtime, requests, options, start))
}

fn load_home<F>(
    [profile, orders]: [Request; 2],
    options: &Options,
    fetch: fn(usize, Request, Rc<Options>, Rc<Reactor>) -> F,
) -> io::Result<Result<Home, FetchError>>
where
    F: Future<Output = Result<Response, FetchError>>,
{
    let runtime = Runtime::new()?;
    let options = Rc::new(options.clone());
    let fetch = |id, request| {
        let reactor = Rc::clone(runtime.reactor());
        fetch(id, request, Rc::clone(&options), reactor)
    };
    // One task, and the two fetches are its fields.
    let both = TryJoin::new(fetch(0, profile), fetch(1, orders));
    let both = runtime.block_on(both)?;
    Ok(both.map(|(profile, orders)| Home { profile, orders }))
}

fn no_reactor(error: &io::Error) -> FetchError {
    FetchError::from_system("waiting for the operating system's events", error)
}
