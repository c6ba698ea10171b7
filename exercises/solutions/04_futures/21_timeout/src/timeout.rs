//! Yours: a future that must be done by a moment.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use pin_project_lite::pin_project;
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::timers::Sleep;

pin_project! {
    /// `Some` of the inner future's output, or `None` if it was not done in
    /// time. It is dropped then, and what it held is released, even if whoever
    /// has this keeps it.
    pub struct Timeout<F> {
        // `None` once the time is up.
        #[pin]
        future: Option<F>,
        sleep: Sleep,
    }
}

impl<F: Future> Timeout<F> {
    /// Gives `future` until `moment`.
    pub fn at(reactor: &Rc<Reactor>, moment: Instant, future: F) -> Self {
        Timeout {
            future: Some(future),
            sleep: Sleep::until(reactor, 0, moment),
        }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        // The future first: what is done is done, also a little late.
        if let Some(future) = this.future.as_mut().as_pin_mut()
            && let Poll::Ready(output) = future.poll(cx)
        {
            return Poll::Ready(Some(output));
        }
        // To poll it is to leave a waker with the clock: a look at the time
        // makes nobody look again.
        ready!(Pin::new(this.sleep).poll(cx));
        // Drops it where it is, and with it its connection.
        this.future.set(None);
        Poll::Ready(None)
    }
}
