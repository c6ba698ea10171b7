//! Yours.

use stage2_thread_pool::queue::Queue;

use crate::Job;

/// A worker's whole life: it does one job after the other, until the queue is
/// closed and empty.
pub(crate) fn work(queue: &Queue<Job>) {
    while let Some(job) = queue.pop() {
        // What goes wrong in a job is the job's own affair.
        job();
    }
}
