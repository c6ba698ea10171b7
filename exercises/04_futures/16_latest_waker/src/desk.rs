//! Yours: where a task that waits meets the thread that has its answer.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A desk: the future of an answer, and the means to give it.
pub fn desk<T>() -> (Answer<T>, Reply<T>) {
    let slip = Arc::new(Mutex::new(Slip {
        answer: None,
        waiting: None,
    }));
    (Answer(Arc::clone(&slip)), Reply(slip))
}

/// The future of an answer.
#[derive(Debug)]
pub struct Answer<T>(Arc<Mutex<Slip<T>>>);

/// What the one who has the answer holds.
#[derive(Debug)]
pub struct Reply<T>(Arc<Mutex<Slip<T>>>);

/// What lies on the desk.
#[derive(Debug)]
struct Slip<T> {
    answer: Option<T>,
    /// Whom to wake when there is one.
    waiting: Option<Waker>,
}

impl<T> Future for Answer<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut slip = lock(&self.0);
        if let Some(answer) = slip.answer.take() {
            return Poll::Ready(answer);
        }
        // A clone costs an atomic operation; one is enough.
        if slip.waiting.is_none() {
            slip.waiting = Some(cx.waker().clone());
        }
        Poll::Pending
    }
}

impl<T> Reply<T> {
    /// Gives the answer, and wakes who waits for it.
    pub fn hand_in(self, answer: T) {
        let waiting = {
            let mut slip = lock(&self.0);
            slip.answer = Some(answer);
            slip.waiting.take()
        };
        // Not under the lock: whoever is woken may come here at once.
        if let Some(waker) = waiting {
            waker.wake();
        }
    }
}

fn lock<T>(slip: &Mutex<Slip<T>>) -> MutexGuard<'_, Slip<T>> {
    // Nothing under this lock can panic half-way through a change.
    slip.lock().unwrap_or_else(PoisonError::into_inner)
}
