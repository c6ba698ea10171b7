//! The executor: polls the futures whose tasks have been woken.
//!
//! It knows no socket and no clock. When nothing is left to poll it *parks*, and
//! what that means is told to it: in this crate, to ask the reactor; in the
//! loom models, to wait for another thread.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use crate::handle::{Spawned, TaskHandle};
use crate::queue::RunQueue;
use crate::sync::Arc;
use crate::task::Task;
use crate::waker::waker;

/// How many polls there are between two looks at the world. *Second reading:*
/// a task that is always ready is at the end of the queue after each poll, so
/// other *tasks* get their turn anyway. What it could starve is the reactor,
/// which is asked only when the queue is empty, or after this many polls.
const POLLS_PER_TURN: usize = 32;

/// What the executor's thread does between polls.
pub trait Park {
    /// Looks what has happened, and wakes whom it concerns. With `may_wait`
    /// nobody can run until something does happen, or until the run queue's
    /// `unpark` is called: then this is where the thread sleeps. It may return
    /// early.
    ///
    /// # Errors
    ///
    /// The system's. They end [`Executor::block_on`].
    fn park(&self, may_wait: bool) -> io::Result<()>;
}

/// Runs any number of tasks on the thread that calls [`block_on`](Self::block_on).
pub struct Executor {
    queue: Arc<RunQueue>,
    tasks: Rc<RefCell<Tasks>>,
    /// Whether a `block_on` is under way.
    running: Cell<bool>,
}

/// Says that `block_on` is under way, until it is dropped.
struct Running<'a>(&'a Cell<bool>);

/// The futures of all spawned tasks that are not done.
#[derive(Default)]
pub(crate) struct Tasks {
    last_id: u64,
    /// `None` while the future is being polled: it is then on the executor's
    /// stack, and nothing is borrowed here, so it may spawn and cancel.
    futures: BTreeMap<u64, Option<BoxedFuture>>,
}

pub(crate) type BoxedFuture = Pin<Box<dyn Future<Output = ()>>>;

impl Executor {
    /// An executor without tasks. For `unpark` see [`RunQueue::new`].
    pub fn new(unpark: Box<dyn Fn() + Send + Sync>) -> Self {
        Executor {
            queue: RunQueue::new(unpark),
            tasks: Rc::default(),
            running: Cell::new(false),
        }
    }

    /// Runs `root`, and the spawned tasks beside it, until `root` is done.
    ///
    /// `root` needs no box and may borrow from the caller: it lives in this
    /// frame, which stays until it is done.
    ///
    /// # Errors
    ///
    /// Those of `park`, and one for a call from inside a future that this executor
    /// is polling. `root` is then dropped.
    pub fn block_on<F: Future>(&self, root: F, park: &impl Park) -> io::Result<F::Output> {
        let _running = Running::begin(&self.running)?;
        let mut root = pin!(root);
        let root_id = self.tasks.borrow_mut().next_id();
        Task::wake(Task::new(root_id, Arc::clone(&self.queue)));
        loop {
            for _ in 0..POLLS_PER_TURN {
                let Some(task) = self.queue.pop() else { break };
                task.leave_queue();
                let id = task.id();
                let waker = waker(task);
                if id != root_id {
                    self.poll_spawned(id, &waker);
                } else if let Poll::Ready(output) =
                    root.as_mut().poll(&mut Context::from_waker(&waker))
                {
                    return Ok(output);
                }
            }
            park.park(self.queue.may_park())?;
        }
    }

    /// Starts a task for `future`. It is polled from the next turn of
    /// [`block_on`](Self::block_on) on, and dropped when its handle is.
    ///
    /// When does it end? With its future. Who cancels it? Whoever drops the
    /// handle, or the executor. Who receives its result? The handle. What
    /// bounds their number? The caller; see [`Semaphore`](crate::semaphore).
    pub fn spawn<F>(&self, future: F) -> TaskHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        let outcome = Rc::default();
        let future = Box::pin(Spawned::new(future, Rc::clone(&outcome)));
        let id = {
            let mut tasks = self.tasks.borrow_mut();
            let id = tasks.next_id();
            tasks.futures.insert(id, Some(future));
            id
        };
        Task::wake(Task::new(id, Arc::clone(&self.queue)));
        TaskHandle::new(id, Rc::downgrade(&self.tasks), outcome)
    }

    /// Spawned tasks that are neither done nor cancelled.
    pub fn unfinished(&self) -> usize {
        self.tasks.borrow().futures.len()
    }

    fn poll_spawned(&self, id: u64, waker: &Waker) {
        let future = self.tasks.borrow_mut().take(id);
        // Woken after it was done, or cancelled: nothing to do.
        let Some(mut future) = future else { return };
        let done = future
            .as_mut()
            .poll(&mut Context::from_waker(waker))
            .is_ready();
        // What comes back is dropped here, when nothing is borrowed.
        let _finished = self.tasks.borrow_mut().put_back(id, future, done);
    }
}

impl<'a> Running<'a> {
    /// A `block_on` inside another would take wakes out of the queue that are for
    /// futures which wait below it on the stack. It could not poll those, and the
    /// outer one would never hear of them.
    fn begin(running: &'a Cell<bool>) -> io::Result<Self> {
        if running.replace(true) {
            let why = "block_on inside a future of the same executor: `.await` instead";
            return Err(io::Error::other(why));
        }
        Ok(Running(running))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl Tasks {
    fn next_id(&mut self) -> u64 {
        self.last_id += 1;
        self.last_id
    }

    fn take(&mut self, id: u64) -> Option<BoxedFuture> {
        self.futures.get_mut(&id)?.take()
    }

    /// Forgets the task. Its future is the caller's to drop, once nothing is
    /// borrowed any more: it may hold handles, whose drop comes here again.
    pub(crate) fn cancel(&mut self, id: u64) -> Option<BoxedFuture> {
        self.futures.remove(&id).flatten()
    }

    /// Keeps the future for its next poll. Gives it back if there is none:
    /// it is done, or was cancelled while it was being polled.
    fn put_back(&mut self, id: u64, future: BoxedFuture, done: bool) -> Option<BoxedFuture> {
        if done {
            self.futures.remove(&id);
            return Some(future);
        }
        match self.futures.get_mut(&id) {
            Some(place) => place.replace(future),
            None => Some(future),
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        // Circles are cut here: a queued task holds the queue that holds it.
        self.queue.close();
        // Futures may hold handles, whose drop looks into `tasks`.
        let futures = std::mem::take(&mut self.tasks.borrow_mut().futures);
        drop(futures);
    }
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor")
            .field("unfinished", &self.unfinished())
            .finish_non_exhaustive()
    }
}
