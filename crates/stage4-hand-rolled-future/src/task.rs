//! A task: what a waker points to.
//!
//! The future is not in here. It stays with the executor, on the executor's
//! thread, and may therefore hold an `Rc`. What travels to other threads is
//! this: a number that says whose turn it is, and the queue to put it in.
//!
//! ```text
//!                  wake                  leave_queue            Pending
//!     waiting ───────────────► in the queue ──────► being polled ──────► waiting
//!                                   ▲                    │
//!                                   └──────── wake ──────┘
//! ```
//!
//! A wake in the queue changes nothing; a wake after the future is done queues a
//! number behind which there is no future any more.

use std::fmt;

use crate::queue::RunQueue;
use crate::sync::{Arc, AtomicBool, Ordering};

/// The shared part of a task.
pub struct Task {
    id: u64,
    /// Whether the task is in the queue, so that many wakes queue it once.
    queued: AtomicBool,
    queue: Arc<RunQueue>,
}

impl Task {
    /// A task that is not in the queue. Ids are never used twice, so a waker
    /// that outlives its task can wake nobody else.
    pub fn new(id: u64, queue: Arc<RunQueue>) -> Arc<Self> {
        Arc::new(Task {
            id,
            queued: AtomicBool::new(false),
            queue,
        })
    }

    /// By this the executor finds the future.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Puts `task` at the end of the queue, unless it is there already.
    ///
    /// The memory orders matter only to who is *not* first. Whoever finds the
    /// flag set goes away and relies on the poll to come: that poll must see
    /// what was written before this wake, and it does, because it begins with
    /// the swap in [`leave_queue`](Self::leave_queue).
    pub fn wake(task: Arc<Self>) {
        if !task.queued.swap(true, Ordering::AcqRel) {
            let queue = Arc::clone(&task.queue);
            queue.push(task);
        }
    }

    /// To be called *before* the poll. A wake during the poll then finds the
    /// task outside the queue, puts it back, and so it is polled once more:
    /// that is all there is to a wake that comes too early.
    pub fn leave_queue(&self) {
        // Not a plain store: it has to read what the wakers wrote.
        self.queued.swap(false, Ordering::AcqRel);
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.id).finish()
    }
}
