//! Yours.

use std::panic::{self, AssertUnwindSafe};

use stage2_thread_pool::queue::Queue;

use crate::Job;

/// A worker's whole life: it does one job after the other, until the queue is
/// closed and empty.
pub(crate) fn work(queue: &Queue<Job>) {
    while let Some(job) = queue.pop() {
        // What goes wrong in a job is the job's own affair, and this is what
        // makes it so: a panic ends here, and not at the end of the thread.
        //
        // The job is gone, and nobody can see it half done. What it shares with
        // others has to look after itself, as a `Mutex` does.
        let _ = panic::catch_unwind(AssertUnwindSafe(job));
    }
}
