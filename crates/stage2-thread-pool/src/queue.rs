//! A queue with a limit, between those who have work and those who do it.
//!
//! Both ends may have to wait: a consumer while there is nothing, a producer
//! while there is no room. Waiting means to be asleep in a [`Condvar`], holding
//! no lock; whoever changes what they wait for has to wake them, and if it does
//! not, nobody will. That is a *lost wake-up*, and the comments below say why
//! there is none.

use std::collections::VecDeque;
use std::mem;
use std::num::NonZeroUsize;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// First in, first out, with room for a fixed number of items.
pub struct Queue<T> {
    capacity: usize,
    state: Mutex<State<T>>,
    /// Where consumers sleep.
    not_empty: Condvar,
    /// Where producers sleep. With one condition for both, a wake-up meant for
    /// a producer could go to a consumer, who goes back to sleep with it.
    not_full: Condvar,
}

struct State<T> {
    items: VecDeque<T>,
    closed: bool,
}

/// Why an item was not taken in. It comes back with the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused<T> {
    /// There is no room now.
    Full(T),
    /// There will never be room again.
    Closed(T),
}

impl<T> Queue<T> {
    /// An empty queue with room for `capacity` items.
    pub fn new(capacity: NonZeroUsize) -> Self {
        Queue {
            capacity: capacity.get(),
            state: Mutex::new(State {
                items: VecDeque::new(),
                closed: false,
            }),
            not_empty: Condvar::new(),
            not_full: Condvar::new(),
        }
    }

    /// Puts `item` at the end. Blocks while there is no room: this is
    /// back-pressure, by which those who make work are slowed down to the pace
    /// of those who do it.
    ///
    /// # Errors
    ///
    /// The item, if the queue is or becomes closed.
    pub fn push(&self, item: T) -> Result<(), T> {
        let mut state = self.lock();
        // A loop, not an `if`: a condition variable may wake somebody for no
        // reason, and between the wake-up and the lock another producer may
        // have taken the room.
        while state.items.len() == self.capacity && !state.closed {
            state = self
                .not_full
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.closed {
            return Err(item);
        }
        self.put(state, item);
        Ok(())
    }

    /// Puts `item` at the end if there is room. Never blocks, except for the
    /// lock.
    ///
    /// # Errors
    ///
    /// The item, and why it was refused.
    pub fn try_push(&self, item: T) -> Result<(), Refused<T>> {
        let state = self.lock();
        if state.closed {
            return Err(Refused::Closed(item));
        }
        if state.items.len() == self.capacity {
            return Err(Refused::Full(item));
        }
        self.put(state, item);
        Ok(())
    }

    /// Takes the first item. Blocks while there is none; `None` means that the
    /// queue is closed and empty, so that there will never be one.
    pub fn pop(&self) -> Option<T> {
        let mut state = self.lock();
        // `wait` lets go of the lock and falls asleep in one step. If it were
        // two, an item could come in between, and its wake-up reach nobody.
        while state.items.is_empty() && !state.closed {
            state = self
                .not_empty
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let item = state.items.pop_front()?;
        drop(state);
        // One place is free now, so one producer can go on: see `put`.
        self.not_full.notify_one();
        Some(item)
    }

    /// Takes no more items in. Those that are in can still be taken out.
    pub fn close(&self) {
        self.close_with(|_| ());
    }

    /// Takes no more items in, and hands over those that no consumer will get.
    pub fn close_and_clear(&self) -> VecDeque<T> {
        self.close_with(mem::take)
    }

    fn close_with<R>(&self, last: impl FnOnce(&mut VecDeque<T>) -> R) -> R {
        let mut state = self.lock();
        state.closed = true;
        let result = last(&mut state.items);
        drop(state);
        // This changes the answer for everyone who waits, so all are woken.
        self.not_empty.notify_all();
        self.not_full.notify_all();
        result
    }

    /// One more item can occupy one consumer, so one is woken. That suffices
    /// because
    ///
    /// - all who sleep on `not_empty` would do the same thing,
    /// - none of them ever gives up waiting and takes a wake-up with it, and
    /// - it is said for *every* item. To say it only when the queue was empty
    ///   looks like a saving: two items come in before the first consumer is
    ///   up, the second one wakes nobody, and a consumer sleeps beside it.
    ///
    /// If somebody else is faster than the one who was woken, the item is taken
    /// all the same, and the one who was woken sleeps on.
    fn put(&self, mut state: MutexGuard<'_, State<T>>, item: T) {
        debug_assert!(state.items.len() < self.capacity, "no room was waited for");
        state.items.push_back(item);
        // The lock is free before the wake-up, since it is the first thing that
        // the one who wakes up asks for.
        drop(state);
        self.not_empty.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // Nothing under this lock can panic half-way through a change. Items
        // are dropped outside it: what that does is not known here.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Refused<T> {
    /// The item, whatever was the reason.
    pub fn into_item(self) -> T {
        match self {
            Refused::Full(item) | Refused::Closed(item) => item,
        }
    }
}
