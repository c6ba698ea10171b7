//! Yours: tasks, the queue of those that can go on, and the loop that polls
//! them.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Wake, Waker};

use stage4_hand_rolled_future::executor::Park;

/// A future as the executor keeps it.
pub type BoxedFuture<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Runs all futures on this thread until the last is done. While none of them
/// can go on, the thread sleeps in `park`, which wakes whom it concerns. Wakes
/// come from this thread only.
///
/// # Errors
///
/// Those of `park`.
pub fn run(futures: Vec<BoxedFuture<'_>>, park: &impl Park) -> io::Result<()> {
    let mut futures: Vec<_> = futures.into_iter().map(Some).collect();
    let queue = Queue::default();
    for index in 0..futures.len() {
        Arc::new(Task {
            index,
            queued: AtomicBool::new(false),
            queue: Arc::clone(&queue),
        })
        .wake();
    }
    while futures.iter().any(Option::is_some) {
        let next = lock(&queue).pop_front();
        let Some(task) = next else {
            park.park(true)?;
            continue;
        };
        // Woken once more after it was done: the place is empty.
        let place = &mut futures[task.index];
        if let Some(future) = place {
            let waker = Waker::from(Arc::clone(&task));
            if future
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_ready()
            {
                *place = None;
            }
        }
        // Its turn is over, so it may be queued again.
        task.queued.store(false, Ordering::Release);
    }
    Ok(())
}

type Queue = Arc<Mutex<VecDeque<Arc<Task>>>>;

/// Says whose turn it is.
struct Task {
    index: usize,
    /// So that a task that is woken twice is queued once.
    queued: AtomicBool,
    queue: Queue,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::AcqRel) {
            let queue = Arc::clone(&self.queue);
            lock(&queue).push_back(self);
        }
    }
}

fn lock(queue: &Queue) -> MutexGuard<'_, VecDeque<Arc<Task>>> {
    // Nothing under this lock can panic half-way through a change.
    queue.lock().unwrap_or_else(PoisonError::into_inner)
}
