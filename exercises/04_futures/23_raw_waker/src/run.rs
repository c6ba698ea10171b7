//! An executor for one task. Given: there is nothing to change here.

use std::future::Future;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;

use crate::waker;

/// Runs `future` as `task`, the only one in `queue`, until it is done. A wake
/// that comes at the very end may stay in the queue.
///
/// # Errors
///
/// Those of `park`.
pub fn run<F: Future>(
    task: &Arc<Task>,
    queue: &RunQueue,
    future: F,
    park: &impl Park,
) -> io::Result<F::Output> {
    let mut future = pin!(future);
    Task::wake(Arc::clone(task));
    loop {
        let Some(next) = queue.pop() else {
            park.park(queue.may_park())?;
            continue;
        };
        next.leave_queue();
        // The reference that was the queue's is the waker's now.
        let waker = waker(next);
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        if let Poll::Ready(output) = polled {
            return Ok(output);
        }
    }
}
