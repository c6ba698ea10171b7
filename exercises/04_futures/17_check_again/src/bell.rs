//! Whom to wake when something has happened. Given: there is nothing to change
//! here.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

/// Tells one task that something has happened. What that is, it does not know
/// and does not remember: who was not registered has missed it.
#[derive(Debug, Default)]
pub struct Bell(Mutex<Option<Waker>>);

impl Bell {
    /// From now on `waker` is called when the bell rings, and no other.
    pub fn register(&self, waker: &Waker) {
        *self.lock() = Some(waker.clone());
    }

    /// Calls the waker that is registered, if there is one. To be called when
    /// what has happened can be seen, not before.
    pub fn ring(&self) {
        let waker = self.lock().take();
        // Not under the lock: whoever is woken may come here at once.
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waker>> {
        // Nothing under this lock can panic half-way through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
