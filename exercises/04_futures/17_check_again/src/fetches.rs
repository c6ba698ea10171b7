//! Fetches that block, and one bell for all. Given: there is nothing to change
//! here.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use fetch_core::{FetchError, OnError, Options, Request, Response};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

use crate::Bell;

/// A number of fetches, each on a thread of its own.
#[derive(Debug)]
pub struct Fetches {
    progress: Arc<Progress>,
    threads: Mutex<Vec<JoinHandle<Result<Response, FetchError>>>>,
}

#[derive(Debug)]
struct Progress {
    left: AtomicUsize,
    bell: Bell,
}

impl Fetches {
    /// Starts them, as stage 1 fetches.
    ///
    /// When do the threads end? With their fetches, at the latest at the
    /// deadline. Who cancels them? Nobody. Who receives their results?
    /// [`responses`](Self::responses). What bounds the number? The caller.
    ///
    /// # Errors
    ///
    /// The system has no thread left.
    pub fn start(requests: Vec<Request>) -> io::Result<Fetches> {
        let progress = Arc::new(Progress {
            left: AtomicUsize::new(requests.len()),
            bell: Bell::default(),
        });
        let start = |request| {
            let progress = Arc::clone(&progress);
            thread::Builder::new().spawn(move || {
                let group = Group::new(OnError::Finish);
                let result = fetch(0, &request, &Options::default(), &group);
                // First it can be seen, then the bell rings.
                progress.left.fetch_sub(1, Ordering::AcqRel);
                progress.bell.ring();
                result
            })
        };
        let threads = requests.into_iter().map(start).collect::<io::Result<_>>()?;
        Ok(Fetches {
            progress,
            threads: Mutex::new(threads),
        })
    }

    /// Rings whenever a fetch has ended.
    pub fn bell(&self) -> &Bell {
        &self.progress.bell
    }

    /// How many have not ended.
    pub fn left(&self) -> usize {
        self.progress.left.load(Ordering::Acquire)
    }

    /// The results, in the order of the requests. Blocks until all fetches have
    /// ended and their threads with them; gives nothing the second time.
    pub fn responses(&self) -> Vec<Result<Response, FetchError>> {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let joined = threads.drain(..).map(JoinHandle::join);
        let panicked = || io::Error::other("the thread of a fetch panicked");
        joined
            .map(|joined| joined.unwrap_or_else(|_| Err(FetchError::no_thread(&panicked()))))
            .collect()
    }
}
