//! Many fetches on a few threads, with a queue between those who ask and those
//! who fetch. Given: there is nothing to change here.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use fetch_core::{OnError, Options, Request};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

use crate::Queue;

/// What came of a crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crawled {
    /// How many fetches gave a response.
    pub responses: usize,
    /// The most requests that lay in the queue at once.
    pub most_queued: usize,
}

/// Fetches all `requests` on `workers` threads, with a queue for `room`
/// requests. The calling thread makes the requests, one after the other, as
/// fast as the queue takes them.
pub fn crawl(
    requests: impl IntoIterator<Item = Request>,
    workers: usize,
    room: NonZeroUsize,
) -> Crawled {
    let queue = Queue::new(room);
    let responses = AtomicUsize::new(0);
    let group = Group::new(OnError::Finish);
    let options = Options::default();
    thread::scope(|scope| {
        // When does each end? When the queue is closed and empty. Who cancels
        // it? Nobody. Who receives its result? `responses`. What bounds their
        // number? `workers`.
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some((index, request)) = queue.pop() {
                    if fetch(index, &request, &options, &group).is_ok() {
                        responses.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for numbered in requests.into_iter().enumerate() {
            // Refused only by a closed queue, and it is closed below.
            let _ = queue.push(numbered);
        }
        queue.close();
    });
    Crawled {
        responses: responses.into_inner(),
        most_queued: queue.most(),
    }
}
