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

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;

use fetch_core::{FetchError, Home, OnError, Options, Request, Response, Stage, home_requests};

use crate::group::Group;

/// Threads at once, at most, however many fetches may be in flight.
///
/// On Linux a thread takes four of the 65,530 memory mappings that a process
/// may have (`vm.max_map_count`): two stacks, one of them for signals, and a
/// guard page each. With none left, starting a thread is not sure to fail as an
/// error: the thread may come to life, miss its second stack, and take the
/// whole process down (std's `stack_overflow.rs`).
pub const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(12_000).unwrap();

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
                if in_flight == places(options).get() {
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
                // `finished`. What bounds their number? `places`.
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
            // One of the two runs on the thread that is here anyway. The other's
            // thread ends with its fetch; the group cancels it; it is joined
            // below; there is one.
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

/// How many fetches may be in flight at once.
fn places(options: &Options) -> NonZeroUsize {
    options.max_in_flight.min(MOST_THREADS)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_places_than_a_process_has_room_for_threads() {
        for (max_in_flight, expected) in [(1, 1), (12_000, 12_000), (usize::MAX, 12_000)] {
            let options = Options {
                max_in_flight: NonZeroUsize::new(max_in_flight).expect("not zero"),
                ..Options::default()
            };
            assert_eq!(places(&options).get(), expected);
        }
        // A thread that has handed in its result may take a moment to end.
        let with_those_that_end = MOST_THREADS.get() + MOST_THREADS.get() / 4;
        assert!(with_those_that_end * 4 < 65_530);
    }
}
