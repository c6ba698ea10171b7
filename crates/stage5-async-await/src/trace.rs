//! Telling who waits and who wakes, from inside a future.
//!
//! The words are those of [`fetch_core::wait`]. In stage 1 they stand before
//! and after a call that blocks. A future that waits returns, so here they
//! stand where it returns to and where it is woken: in a `poll` around its
//! `poll`, and in a `Waker` around its waker.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, Response};

/// Awaits `future`, and says when fetch `id` waits for it, is woken, and
/// resumes. With nobody listening it only passes the polls on.
///
/// It takes a pinned reference, since a future that is moved into a second one
/// takes up room in both (rust-lang/rust#62958).
pub fn traced<F: Future>(id: usize, on: On, by: By, future: Pin<&mut F>) -> Traced<'_, F> {
    Traced {
        id,
        on,
        by,
        future,
        last_waker: None,
    }
}

/// See [`traced`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Traced<'a, F> {
    id: usize,
    on: On,
    by: By,
    future: Pin<&'a mut F>,
    /// What the future was given as its waker when it last returned `Pending`.
    last_waker: Option<Arc<TracedWaker>>,
}

impl<F: Future> Future for Traced<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        if !wait::is_observed() {
            return self.future.as_mut().poll(context);
        }
        let before = self.last_waker.take();
        // Being polled is not yet being woken: `try_join!` polls a future also
        // when it is its sibling's turn.
        let still_waiting = match &before {
            Some(waker) if waker.was_woken() => {
                wait::resumed(self.id);
                false
            }
            before => before.is_some(),
        };
        // The waker may be another one each time, and the latest counts.
        let traced = TracedWaker::new(self.id, self.by, context.waker(), still_waiting);
        let traced = Arc::new(traced);
        let waker = Waker::from(Arc::clone(&traced));
        let poll = self.future.as_mut().poll(&mut Context::from_waker(&waker));
        if poll.is_pending() {
            if !still_waiting {
                wait::waiting(self.id, self.on);
                traced.begin_waiting();
            }
            self.last_waker = Some(traced);
        }
        poll
    }
}

/// A waker that says so when it is called, and then calls the real one.
#[derive(Debug)]
struct TracedWaker {
    id: usize,
    by: By,
    state: AtomicU8,
    inner: Waker,
}

/// Inside the future's `poll`: nobody has said yet that it waits.
const POLLING: u8 = 0;
/// It has been said that the future waits.
const WAITING: u8 = 1;
/// The future has been woken.
const WOKEN: u8 = 2;

impl TracedWaker {
    fn new(id: usize, by: By, inner: &Waker, waiting: bool) -> Self {
        TracedWaker {
            id,
            by,
            state: AtomicU8::new(if waiting { WAITING } else { POLLING }),
            inner: inner.clone(),
        }
    }

    /// It has been said that the future waits. Another thread (the resolver's)
    /// may have woken it already, and left it to us to say that after it.
    fn begin_waiting(&self) {
        let begun =
            self.state
                .compare_exchange(POLLING, WAITING, Ordering::AcqRel, Ordering::Acquire);
        if begun.is_err() {
            wait::woken(self.id, self.by);
        }
    }

    fn was_woken(&self) -> bool {
        self.state.load(Ordering::Acquire) == WOKEN
    }
}

impl Wake for TracedWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.state.swap(WOKEN, Ordering::AcqRel) == WAITING {
            wait::woken(self.id, self.by);
        }
        self.inner.wake_by_ref();
    }
}

/// A timeout has dropped what fetch `id` waited for, and the fetch goes on.
pub fn out_of_time(id: usize) {
    wait::woken(id, By::Timer);
    wait::resumed(id);
}

/// A fetch from its first poll to its end. If it is dropped before it has
/// finished, it has been cancelled: a destructor is all that still runs of an
/// `async fn` then.
#[derive(Debug)]
pub(crate) struct Lifetime {
    id: usize,
    finished: bool,
}

impl Lifetime {
    pub(crate) fn start(id: usize) -> Self {
        wait::started(id);
        Lifetime {
            id,
            finished: false,
        }
    }

    pub(crate) fn finish(mut self, result: &Result<Response, FetchError>) {
        self.finished = true;
        wait::finished(self.id, result);
    }
}

impl Drop for Lifetime {
    fn drop(&mut self) {
        if !self.finished {
            wait::finished::<Response>(self.id, &Err(FetchError::Cancelled));
        }
    }
}
