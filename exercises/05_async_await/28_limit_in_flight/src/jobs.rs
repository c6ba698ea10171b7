//! Where the requests come from, and how many of them exist. Given.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use fetch_core::{FetchError, Options, Request, Response};
use stage5_async_await::fetch::fetch;

/// Makes a job whenever it is asked for one. In life: a file that is read line
/// by line, or a queue on another machine.
pub struct Source {
    requests: Box<dyn Iterator<Item = Request> + Send>,
    counter: Arc<Counter>,
}

impl Source {
    /// A source of jobs, one for each of `requests`.
    pub fn new(requests: impl Iterator<Item = Request> + Send + 'static) -> Self {
        Source {
            requests: Box::new(requests),
            counter: Arc::default(),
        }
    }

    /// What counts its jobs.
    pub fn counter(&self) -> Arc<Counter> {
        Arc::clone(&self.counter)
    }
}

impl Iterator for Source {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let request = self.requests.next()?;
        self.counter.one_more();
        Some(Job {
            request,
            counter: Arc::clone(&self.counter),
        })
    }
}

/// One request. It exists from the moment when it is taken out of the source
/// until it has been fetched, and takes up memory all that time.
pub struct Job {
    request: Request,
    counter: Arc<Counter>,
}

impl Job {
    /// Fetches it, as stage 5 does.
    ///
    /// # Errors
    ///
    /// As [`fetch`].
    pub async fn run(self) -> Result<Response, FetchError> {
        fetch(0, &self.request, &Options::default()).await
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.counter.now.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How many jobs exist.
#[derive(Debug, Default)]
pub struct Counter {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Counter {
    /// The most at once, so far.
    pub fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }

    fn one_more(&self) {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(now, Ordering::Relaxed);
    }
}
