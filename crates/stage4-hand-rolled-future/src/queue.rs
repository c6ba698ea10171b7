//! The run queue: which tasks can go on, in the order in which they were woken.
//!
//! This is where threads meet. Everything else in the executor belongs to one
//! thread; a task can be woken from any.

use std::collections::VecDeque;
use std::fmt;

use crate::sync::{Arc, Mutex, MutexGuard, PoisonError};
use crate::task::Task;

/// A queue of runnable tasks, first in, first out.
pub struct RunQueue {
    state: Mutex<State>,
    /// Ends the executor's sleep.
    unpark: Box<dyn Fn() + Send + Sync>,
}

struct State {
    ready: VecDeque<Arc<Task>>,
    /// The executor found nothing to do, and sleeps or is about to.
    parked: bool,
    /// The executor is gone.
    closed: bool,
}

impl RunQueue {
    /// An empty queue. `unpark` is called from whichever thread wakes a task
    /// while the executor sleeps; it must be remembered if it comes before the
    /// sleep, as `Thread::unpark` and `Poller::notify` are.
    pub fn new(unpark: Box<dyn Fn() + Send + Sync>) -> Arc<Self> {
        Arc::new(RunQueue {
            state: Mutex::new(State {
                ready: VecDeque::new(),
                parked: false,
                closed: false,
            }),
            unpark,
        })
    }

    /// Adds a task at the end, and ends the executor's sleep if it sleeps.
    pub fn push(&self, task: Arc<Task>) {
        let mut state = self.lock();
        if state.closed {
            // A late waker. To keep its task would be a circle: the task holds
            // the queue. The lock goes first, as the last reference may be here.
            drop(state);
            return;
        }
        state.ready.push_back(task);
        let asleep = std::mem::take(&mut state.parked);
        // The first thing a woken executor does is to ask for this lock.
        drop(state);
        if asleep {
            (self.unpark)();
        }
    }

    /// Takes the task that has waited longest.
    pub fn pop(&self) -> Option<Arc<Task>> {
        let mut state = self.lock();
        state.parked = false;
        state.ready.pop_front()
    }

    /// Whether the executor may sleep: nothing is queued, and whatever is from
    /// now on will call `unpark`.
    ///
    /// The look and the announcement are one step under the lock. With a gap
    /// between them, a wake in that gap would find an executor that does not
    /// sleep yet, leave it alone, and be lost until something else happens.
    pub fn may_park(&self) -> bool {
        let mut state = self.lock();
        state.parked = state.ready.is_empty();
        state.parked
    }

    /// Drops what is queued and refuses what comes.
    pub fn close(&self) {
        let ready = {
            let mut state = self.lock();
            state.closed = true;
            std::mem::take(&mut state.ready)
        };
        drop(ready);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for RunQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunQueue").finish_non_exhaustive()
    }
}
