//! Stage 2: a fixed pool of workers. The queue holds what has not begun.
//!
//! - **What waits:** first a job, in the queue, for a worker. Then the worker
//!   that took it, in `connect`, `read` or `write`.
//! - **Where the wait is kept:** what has not begun is a closure in a
//!   `VecDeque`. What has begun is on the worker's stack, exactly as in stage 1.
//! - **Who wakes it:** a worker's loop, when it comes to take the next job; from
//!   then on the kernel.
//! - **What it costs:** a stack and a kernel thread for each *worker*, however
//!   many fetches there are; a request and a closure for each fetch in the
//!   queue. And time: a worker that waits is not free, so `w` workers finish at
//!   most `w` fetches in the time that one takes, while the processor idles.
//!
//! ```text
//!        submit           a worker takes it           read(socket)
//!  new ─────────► queued ───────────────────► running ────────────► waiting
//!   │                                          │   ▲                  │
//!   └─ the queue is full: the                  │   └──────────────────┘
//!      caller waits for room                   │      bytes have come
//!                                              ▼
//!                                           finished: the worker takes the next
//! ```
//!
//! Two schedulers are at work. The pool decides which job gets a worker, and
//! the kernel which worker gets a processor. Neither knows of the other: to the
//! pool, a worker that waits for bytes and one that computes are both busy.
//!
//! One fetch is not written again here. It is [`stage1_blocking_threads::fetch`]
//! itself, and no other stage depends on another. Here that is the lesson: a
//! pool changes whose stack the fetch runs on and when it begins, and nothing
//! about how it waits. So this crate is only the queue, the pool, and the two
//! ways to use them.
//!
//! Read in this order: [`queue`] (two kinds of waiting, and why no wake-up is
//! lost), [`pool`] (the workers, and how they end), the two functions below, and
//! then `tests/deadlock.rs`: how a pool stands still for ever.

pub mod pool;
pub mod queue;

use std::num::NonZeroUsize;
use std::sync::{Arc, mpsc};

use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, Home, OnError, Options, Request, Response, Stage, home_requests};
use stage1_blocking_threads::MOST_THREADS;
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

use crate::pool::Pool;

/// Starts a pool for each call, and ends it with the call, so that no thread is
/// left between two calls. A server would keep one [`Pool`] for as long as it
/// runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadPool {
    /// How many workers at most. `None`: as many as fetches may be in flight.
    ///
    /// More than that is never started, and neither is more than there are
    /// fetches, or more than [`MOST_THREADS`].
    pub workers: Option<NonZeroUsize>,
}

impl Stage for ThreadPool {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let Some(fetches) = NonZeroUsize::new(requests.len()) else {
            return Vec::new();
        };
        // A worker is a place in flight, so there are never more.
        let workers = self.at_most(fetches.min(options.max_in_flight));
        run(requests, workers, options.on_error, options)
    }

    /// Both fetches are submitted from out here, where nothing waits on a
    /// worker. A job "load the home page" that submitted two jobs and waited
    /// for them would keep a worker that they may need.
    ///
    /// So one worker is enough, and then the page takes 80 + 120 ms: side by
    /// side is what two workers do.
    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let requests = home_requests(origin, user)?;
        let two = NonZeroUsize::MIN.saturating_add(1);
        let workers = self.at_most(two);
        let mut results = run(requests.into(), workers, OnError::CancelOthers, options).into_iter();
        let mut next = || results.next().unwrap_or(Err(FetchError::Cancelled));
        Home::from_halves(next(), next())
    }
}

impl ThreadPool {
    fn at_most(&self, workers: NonZeroUsize) -> NonZeroUsize {
        let workers = workers.min(MOST_THREADS);
        self.workers.unwrap_or(workers).min(workers)
    }
}

/// Does all `requests` on a pool of `workers`, and gives their results in the
/// order of the requests.
fn run(
    requests: Vec<Request>,
    workers: NonZeroUsize,
    on_error: OnError,
    options: &Options,
) -> Vec<Result<Response, FetchError>> {
    let group = Arc::new(Group::new(on_error));
    // What no worker ever takes up stays as it is here.
    let mut results: Vec<_> = requests
        .iter()
        .map(|_| Err(FetchError::Cancelled))
        .collect();
    // One job for each worker to take up as soon as it is free. A longer queue
    // would make nothing faster; it would only hold more.
    let pool = match Pool::new(workers, workers) {
        Ok(pool) => pool,
        Err(error) => {
            results.fill_with(|| group.run(|| Err(FetchError::no_thread(&error))));
            return results;
        }
    };
    let options = Arc::new(options.clone());
    let (done, finished) = mpsc::channel();

    for (index, request) in requests.into_iter().enumerate() {
        if group.is_cancelled() {
            break;
        }
        let (group, options, done) = (Arc::clone(&group), Arc::clone(&options), done.clone());
        wait::waiting(index, On::Queue);
        // When does it end? With its fetch, at its deadline at the latest. Who cancels
        // it? The group. Who receives its result? `finished`. What bounds their
        // number? The queue's room, and the workers.
        pool.submit(move || {
            let result = take_up(index, &request, &options, &group);
            // The receiver outlives the pool.
            let _ = done.send((index, result));
        });
    }
    // All that was submitted is taken up. After a failure that ends the others
    // this is quick: each job finds the group cancelled, and is done.
    pool.shutdown();
    drop(done);
    for (index, result) in finished {
        results[index] = result;
    }
    results
}

/// What a worker does with a job. The fetch's deadline starts in here, so the
/// time in the queue does not count.
fn take_up(
    index: usize,
    request: &Request,
    options: &Options,
    group: &Group,
) -> Result<Response, FetchError> {
    let mut begun = false;
    let result = group.run(|| {
        begun = true;
        wait::woken(index, By::Worker);
        fetch(index, request, options, group)
    });
    if !begun {
        // Cancelled while it queued: its story ends without a `started`.
        wait::finished(index, &result);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_workers_than_a_process_has_room_for_threads() {
        for workers in [None, Some(NonZeroUsize::MAX)] {
            let pool = ThreadPool { workers };
            assert_eq!(pool.at_most(NonZeroUsize::MAX), MOST_THREADS);
            assert_eq!(pool.at_most(NonZeroUsize::MIN), NonZeroUsize::MIN);
        }
    }
}
