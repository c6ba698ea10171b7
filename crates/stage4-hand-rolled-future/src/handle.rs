//! Spawned tasks, seen from both sides: the future inside, the handle outside.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker, ready};

use pin_project_lite::pin_project;

use crate::executor::Tasks;

/// A spawned task: a future of its output.
///
/// Dropping it cancels the task, which means that the task's future is dropped,
/// and with it all that the future holds.
#[derive(Debug)]
pub struct TaskHandle<T> {
    id: u64,
    /// Weak, since a future that holds a handle to another task is itself in
    /// there.
    tasks: Weak<RefCell<Tasks>>,
    outcome: Rc<RefCell<Outcome<T>>>,
}

/// Where a task leaves its output.
#[derive(Debug)]
pub(crate) struct Outcome<T> {
    output: Option<T>,
    waiting: Option<Waker>,
}

impl<T> TaskHandle<T> {
    pub(crate) fn new(
        id: u64,
        tasks: Weak<RefCell<Tasks>>,
        outcome: Rc<RefCell<Outcome<T>>>,
    ) -> Self {
        TaskHandle { id, tasks, outcome }
    }

    /// The output, if the task is done; else the task is cancelled.
    pub fn finished_or_cancel(self) -> Option<T> {
        self.outcome.borrow_mut().output.take()
    }
}

impl<T> Future for TaskHandle<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut outcome = self.outcome.borrow_mut();
        match outcome.output.take() {
            Some(output) => Poll::Ready(output),
            None => {
                outcome.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl<T> Drop for TaskHandle<T> {
    fn drop(&mut self) {
        if let Some(tasks) = self.tasks.upgrade() {
            let future = tasks.borrow_mut().cancel(self.id);
            drop(future);
        }
    }
}

impl<T> Default for Outcome<T> {
    fn default() -> Self {
        Outcome {
            output: None,
            waiting: None,
        }
    }
}

pin_project! {
    /// A future that leaves its output where the handle finds it.
    ///
    /// `async move { outcome.set(future.await) }` would say the same and take
    /// twice the room: the block keeps `future` once as what it captured and
    /// once as what it awaits (rust#62958).
    pub(crate) struct Spawned<F: Future> {
        #[pin]
        future: F,
        outcome: Rc<RefCell<Outcome<F::Output>>>,
    }
}

impl<F: Future> Spawned<F> {
    pub(crate) fn new(future: F, outcome: Rc<RefCell<Outcome<F::Output>>>) -> Self {
        Spawned { future, outcome }
    }
}

impl<F: Future> Future for Spawned<F> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.project();
        let output = ready!(this.future.poll(cx));
        let waiting = {
            let mut outcome = this.outcome.borrow_mut();
            outcome.output = Some(output);
            outcome.waiting.take()
        };
        if let Some(waker) = waiting {
            waker.wake();
        }
        Poll::Ready(())
    }
}
