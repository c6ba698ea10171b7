//! A pool as in stage 2, on the queue of stage 2. Given: there is nothing to
//! change here.

use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use stage2_thread_pool::queue::Queue;

use crate::worker::work;

/// Something to do, once.
pub type Job = Box<dyn FnOnce() + Send>;

/// A fixed number of threads that take jobs from a queue.
pub struct Pool {
    queue: Arc<Queue<Job>>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads, with a queue for `room` jobs between them.
    ///
    /// # Errors
    ///
    /// The system has no thread left.
    pub fn new(workers: NonZeroUsize, room: NonZeroUsize) -> io::Result<Self> {
        let mut pool = Pool {
            queue: Arc::new(Queue::new(room)),
            workers: Vec::new(),
        };
        for _ in 0..workers.get() {
            let queue = Arc::clone(&pool.queue);
            // When does it end? When the queue is closed and empty. Who cancels
            // it? Nobody. Who receives its result? `join`, in `shutdown`. What
            // bounds their number? `workers`.
            let worker = thread::Builder::new().name("worker".to_owned());
            pool.workers.push(worker.spawn(move || work(&queue))?);
        }
        Ok(pool)
    }

    /// Hands `job` to the workers. Blocks while the queue is full.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) {
        // Refused only by a closed queue, and only `drop` closes it.
        let _ = self.queue.push(Box::new(job));
    }

    /// Waits until all jobs are done, and for the workers to end.
    pub fn shutdown(mut self) {
        self.queue.close();
        for worker in self.workers.drain(..) {
            // A worker that panicked has ended, too.
            let _ = worker.join();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.queue.close();
    }
}
