//! Yours.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// First in, first out, with room for a fixed number of items.
pub struct Queue<T> {
    capacity: usize,
    state: Mutex<State<T>>,
    /// Where consumers sleep.
    not_empty: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    closed: bool,
    /// The most items so far.
    most: usize,
}

impl<T> Queue<T> {
    /// An empty queue with room for `capacity` items.
    pub fn new(capacity: NonZeroUsize) -> Self {
        Queue {
            capacity: capacity.get(),
            state: Mutex::new(State {
                items: VecDeque::new(),
                closed: false,
                most: 0,
            }),
            not_empty: Condvar::new(),
        }
    }

    /// Puts `item` at the end. Blocks while there is no room.
    ///
    /// # Errors
    ///
    /// The item, if the queue is closed, or becomes closed while this waits.
    pub fn push(&self, item: T) -> Result<(), T> {
        let mut state = self.lock();
        if state.closed {
            return Err(item);
        }
        // There is always room: a `VecDeque` grows.
        state.items.push_back(item);
        state.most = state.most.max(state.items.len());
        drop(state);
        self.not_empty.notify_one();
        Ok(())
    }

    /// Takes the first item. Blocks while there is none; `None` means that the
    /// queue is closed and empty, so that there will never be one.
    pub fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        // `wait` lets go of the lock and falls asleep in one step, and has the
        // lock again when it returns. It may return for no reason, and another
        // consumer may have been faster: hence a loop, and not an `if`.
        while state.items.is_empty() && !state.closed {
            state = self
                .not_empty
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.items.pop_front()
    }

    /// Takes no more items in. Those that are in can still be taken out.
    pub fn close(&self) {
        self.lock().closed = true;
        // This changes the answer for everyone who waits, so all are woken.
        self.not_empty.notify_all();
    }

    /// The most items that have been in it at once, so far.
    pub fn most(&self) -> usize {
        self.lock().most
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing under this lock can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
