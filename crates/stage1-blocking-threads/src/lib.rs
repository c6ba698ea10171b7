//! Stage 1: a thread a fetch.
//!
//! - **What waits:** an operating system thread, inside `connect`, `read` or
//!   `write`.
//! - **Where the wait is kept:** on that thread's stack. Which call comes next,
//!   what has been read so far, who asked for it: all of it stays in frames
//!   that have not returned.
//! - **Who wakes it:** the kernel. It finds the socket ready, makes the thread
//!   runnable, and the scheduler lets it return from the call.
//! - **What it costs:** a stack and a kernel thread for every unfinished fetch,
//!   for as long as it waits.
//!
//! ```text
//!            read(socket)                      bytes have come
//!  running ───────────────► asleep in the kernel ───────────────► running
//!     │                     stack kept as it is                     │
//!     └── the next line of the same function ◄──────────────────────┘
//! ```
//!
//! This is the model that the others are measured against, and nothing about it
//! is obsolete: it is the shortest to write and the easiest to debug, and a few
//! hundred threads that wait are no burden to a machine of today.
//!
//! Read in this order: [`fetch`] (one fetch, a straight line), [`clock`] and
//! [`connection`] (how a deadline gets into calls that block), [`group`] (how
//! such a call is ended from outside), [`resolve`], and then the two functions
//! below.

pub mod clock;
pub mod connection;
pub mod fetch;
pub mod group;
pub mod resolve;

use std::sync::mpsc;
use std::thread;

use fetch_core::{FetchError, Home, OnError, Options, Request, Response, Stage, home_requests};

use crate::group::Group;

/// Starts a thread for each fetch.
#[derive(Debug, Clone, Copy, Default)]
pub struct BlockingThreads;

impl Stage for BlockingThreads {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let group = Group::new(options.on_error);
        // What no thread ever takes up stays as it is here.
        let mut results: Vec<_> = requests
            .iter()
            .map(|_| Err(FetchError::Cancelled))
            .collect();
        let (done, finished) = mpsc::channel();

        thread::scope(|scope| {
            let mut in_flight = 0;
            for (index, request) in requests.iter().enumerate() {
                // Admission comes before the thread: a fetch that waits for its
                // turn must not cost a stack.
                if in_flight == options.max_in_flight.get() {
                    let (index, result) = next(&finished);
                    results[index] = result;
                    in_flight -= 1;
                }
                if group.is_cancelled() {
                    break;
                }
                let (group, done) = (&group, done.clone());
                let fetch = move || {
                    let result = group.run(|| fetch::fetch(index, request, options, group));
                    // The receiver outlives this thread: the scope sees to it.
                    let _ = done.send((index, result));
                };
                // When does it end? With its fetch, at the deadline at the
                // latest. Who cancels it? The group. Who receives its result?
                // `finished`. What bounds their number? `max_in_flight`.
                match named(index).spawn_scoped(scope, fetch) {
                    Ok(_) => in_flight += 1,
                    // The machine has no thread left: that is this fetch's
                    // failure, and the others go on.
                    Err(error) => {
                        results[index] = group.run(|| Err(FetchError::no_thread(&error)));
                    }
                }
            }
            for _ in 0..in_flight {
                let (index, result) = next(&finished);
                results[index] = result;
            }
        });
        results
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let [profile, orders] = home_requests(origin, user)?;
        let group = &Group::new(OnError::CancelOthers);
        let fetch = |index, request| group.run(|| fetch::fetch(index, request, options, group));

        let (profile, orders) = thread::scope(|scope| {
            // One of the two runs on the thread that is here anyway.
            match named(1).spawn_scoped(scope, || fetch(1, &orders)) {
                Ok(orders) => {
                    let profile = fetch(0, &profile);
                    let orders = orders.join().expect("the group catches panics");
                    (profile, orders)
                }
                Err(error) => (
                    Err(FetchError::Cancelled),
                    Err(FetchError::no_thread(&error)),
                ),
            }
        });
        Home::from_halves(profile, orders)
    }
}

/// The next fetch to finish. Blocks: it is the caller's thread that waits here.
fn next<T>(finished: &mpsc::Receiver<T>) -> T {
    finished
        .recv()
        .expect("the sender is in this scope, so the channel is open")
}

/// Named after its fetch, so that a debugger, `ps -T` and `--trace` show who
/// waits.
fn named(fetch: usize) -> thread::Builder {
    thread::Builder::new().name(format!("fetch {fetch}"))
}
