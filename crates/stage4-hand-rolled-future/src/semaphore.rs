//! A limit on how many go on at once.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// A number of permits. Whoever finds none waits, first come, first served.
#[derive(Debug, Clone)]
pub struct Semaphore(Rc<RefCell<State>>);

#[derive(Debug)]
struct State {
    permits: usize,
    /// In the order of their coming. A waiter stays until it has its permit or
    /// is dropped; it is not taken out when it is woken.
    waiting: BTreeMap<u64, Waker>,
    last_ticket: u64,
}

/// The right to go on. Dropping it lets the next one go on.
#[derive(Debug)]
pub struct Permit(Semaphore);

impl Semaphore {
    /// A semaphore with that many permits.
    pub fn new(permits: usize) -> Self {
        Semaphore(Rc::new(RefCell::new(State {
            permits,
            waiting: BTreeMap::new(),
            last_ticket: 0,
        })))
    }

    /// A permit, if there is one and nobody waits for it.
    pub fn try_acquire(&self) -> Option<Permit> {
        let mut state = self.0.borrow_mut();
        if !state.waiting.is_empty() {
            return None;
        }
        state.permits = state.permits.checked_sub(1)?;
        Some(Permit(self.clone()))
    }

    /// Waits for a permit.
    pub fn acquire(&self) -> Acquire {
        Acquire {
            semaphore: self.clone(),
            ticket: None,
        }
    }

    /// Wakes the first in the queue, if there is a permit for it.
    fn wake_first(&self) {
        let first = {
            let state = self.0.borrow();
            let first = state.waiting.values().next();
            first.filter(|_| state.permits > 0).cloned()
        };
        if let Some(waker) = first {
            waker.wake();
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.0.borrow_mut().permits += 1;
        self.0.wake_first();
    }
}

/// The future of a permit.
#[derive(Debug)]
pub struct Acquire {
    semaphore: Semaphore,
    /// Its number in the queue, once it has waited.
    ticket: Option<u64>,
}

impl Future for Acquire {
    type Output = Permit;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Permit> {
        let this = &mut *self;
        let mut state = this.semaphore.0.borrow_mut();
        let first = state.waiting.first_key_value().map(|(first, _)| *first);
        // Nobody overtakes: a permit is for whoever has waited longest.
        if state.permits > 0 && (first.is_none() || first == this.ticket) {
            state.permits -= 1;
            if let Some(ticket) = this.ticket.take() {
                state.waiting.remove(&ticket);
            }
            drop(state);
            // There may be a second permit, and its first waker was ours.
            this.semaphore.wake_first();
            return Poll::Ready(Permit(this.semaphore.clone()));
        }
        let ticket = *this.ticket.get_or_insert_with(|| {
            state.last_ticket += 1;
            state.last_ticket
        });
        let old = state.waiting.insert(ticket, cx.waker().clone());
        // In this order: with the old waker another task may go, and with that
        // one who waits here.
        drop(state);
        drop(old);
        Poll::Pending
    }
}

impl Drop for Acquire {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let waiting = self.semaphore.0.borrow_mut().waiting.remove(&ticket);
            drop(waiting);
            // It may have been woken for a permit that it did not take.
            self.semaphore.wake_first();
        }
    }
}
