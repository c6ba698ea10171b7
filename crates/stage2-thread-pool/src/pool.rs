//! A fixed number of threads that take jobs from a queue.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::sync::mpsc;
//! use stage2_thread_pool::pool::Pool;
//!
//! let two = NonZeroUsize::MIN.saturating_add(1);
//! let pool = Pool::new(two, two)?;
//! let (tell, told) = mpsc::channel();
//! for number in 0..10 {
//!     let tell = tell.clone();
//!     pool.submit(move || {
//!         let _ = tell.send(number * number);
//!     });
//! }
//! pool.shutdown();
//! drop(tell);
//! assert_eq!(told.iter().sum::<i32>(), 285);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::io;
use std::num::NonZeroUsize;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crate::queue::{Queue, Refused};

/// Something to do, once. It owns what it needs, since it may be done long
/// after the call that submitted it has returned.
pub type Job = Box<dyn FnOnce() + Send>;

/// The workers and their queue.
///
/// There are two ways to end it. [`shutdown`](Pool::shutdown) *drains*: all
/// jobs that were submitted are done first. Dropping the pool *drops* the jobs
/// that no worker has begun, as fits a caller that leaves early, by `?` or by a
/// panic. Both wait for the jobs that have begun, since a thread cannot be
/// ended from outside, and leave no thread behind.
pub struct Pool {
    queue: Arc<Queue<Job>>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads, with a queue for `room` jobs between them.
    /// Where the system has no thread left, it goes on with those it has.
    ///
    /// # Errors
    ///
    /// The system has not even one thread.
    pub fn new(workers: NonZeroUsize, room: NonZeroUsize) -> io::Result<Self> {
        Self::start(workers, room, |queue| {
            // When does it end? When the queue is closed and it has found it
            // empty. Who cancels it? Nobody: jobs are cancelled, not workers.
            // Who receives its result? The pool joins it. What bounds their
            // number? `workers`.
            thread::Builder::new()
                .name("worker".to_owned())
                .spawn(move || work(&queue))
        })
    }

    fn start(
        workers: NonZeroUsize,
        room: NonZeroUsize,
        mut spawn: impl FnMut(Arc<Queue<Job>>) -> io::Result<JoinHandle<()>>,
    ) -> io::Result<Self> {
        let mut pool = Pool {
            queue: Arc::new(Queue::new(room)),
            workers: Vec::new(),
        };
        for _ in 0..workers.get() {
            match spawn(Arc::clone(&pool.queue)) {
                Ok(worker) => pool.workers.push(worker),
                Err(error) if pool.workers.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(pool)
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.workers.len()
    }

    /// Hands `job` to the workers. Blocks while the queue is full.
    ///
    /// **Not from inside a job**, unless it does not matter when the new job
    /// runs: a job that waits for another one keeps the worker that the other
    /// one may need. `tests/deadlock.rs` shows it.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) {
        // Never refused: the queue is closed by those who own the whole pool,
        // and then nobody has the `&self` to submit with.
        let _ = self.queue.push(Box::new(job));
    }

    /// Hands `job` to the workers, if the queue has room.
    ///
    /// # Errors
    ///
    /// The job, if it has none. What to do then is the caller's to say: do it
    /// on this thread, answer "busy", try later.
    pub fn try_submit(&self, job: impl FnOnce() + Send + 'static) -> Result<(), Job> {
        self.queue
            .try_push(Box::new(job))
            .map_err(Refused::into_item)
    }

    /// Waits until all jobs are done, and for the workers to end.
    pub fn shutdown(mut self) {
        self.queue.close();
        self.join();
    }

    fn join(&mut self) {
        for worker in self.workers.drain(..) {
            // A job may own its pool and be the last to do so. That worker
            // cannot wait for itself; it ends after this job, and by itself.
            if worker.thread().id() != thread::current().id() {
                // No worker panics, see below; and if one did, its jobs' owners
                // would know by what they did not get.
                let _ = worker.join();
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // After `shutdown`, neither finds anything to do.
        drop(self.queue.close_and_clear());
        self.join();
    }
}

/// A worker's whole life. The thread is used again for each job; what a job
/// waits for, it waits for on this stack, and the worker with it.
fn work(queue: &Queue<Job>) {
    while let Some(job) = queue.pop() {
        // A panic ends the job and not the worker: with each worker lost this
        // way the pool would do less, and with the last one nothing, silently.
        // The message was printed when the panic began. Nothing of the job is
        // left to be seen half-changed; what it shares looks after itself, as a
        // `Mutex` does by being poisoned.
        let _ = panic::catch_unwind(AssertUnwindSafe(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// A pool of eight, on a machine that has only `threads`.
    fn pool_on(threads: usize) -> io::Result<Pool> {
        let eight = NonZeroUsize::MIN.saturating_add(7);
        let mut left = threads;
        Pool::start(eight, eight, |queue| {
            left = left.checked_sub(1).ok_or(io::ErrorKind::WouldBlock)?;
            thread::Builder::new().spawn(move || work(&queue))
        })
    }

    #[test]
    fn it_goes_on_with_the_workers_it_has() -> io::Result<()> {
        let pool = pool_on(3)?;
        assert_eq!(pool.workers(), 3);
        let (tell, told) = mpsc::channel();
        for number in 0..20 {
            let tell = tell.clone();
            pool.submit(move || {
                let _ = tell.send(number);
            });
        }
        pool.shutdown();
        assert_eq!(told.try_iter().count(), 20);
        Ok(())
    }

    #[test]
    fn with_none_there_is_no_pool() {
        let error = pool_on(0).err().map(|error| error.kind());
        assert_eq!(error, Some(io::ErrorKind::WouldBlock));
    }
}
