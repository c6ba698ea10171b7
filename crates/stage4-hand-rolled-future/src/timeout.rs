//! A future that must be done by a moment.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use pin_project_lite::pin_project;

use crate::reactor::Reactor;
use crate::timers::Sleep;

pin_project! {
    /// `Some` of the inner future's output, or `None` if it was not done in
    /// time; then drop it, and what it held is released.
    ///
    /// The two are polled in one go, in one task: whichever wakes the task,
    /// both are asked. Nothing is started to watch the clock.
    #[derive(Debug)]
    pub struct Timeout<F> {
        #[pin]
        future: F,
        sleep: Sleep,
    }
}

impl<F: Future> Timeout<F> {
    /// Gives `future` until `moment`. `fetch` is whose wait it is.
    pub fn at(reactor: &Rc<Reactor>, fetch: usize, moment: Instant, future: F) -> Self {
        Timeout {
            future,
            sleep: Sleep::until(reactor, fetch, moment),
        }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // The future first: what is done is done, also a little late.
        if let Poll::Ready(output) = this.future.poll(cx) {
            return Poll::Ready(Some(output));
        }
        ready!(Pin::new(this.sleep).poll(cx));
        Poll::Ready(None)
    }
}
