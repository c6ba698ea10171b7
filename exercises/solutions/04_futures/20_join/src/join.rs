//! Yours: two futures in one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

pin_project! {
    /// Both outputs, when both futures are done.
    pub struct Join<A: Future, B: Future> {
        #[pin]
        a: A,
        a_output: Option<A::Output>,
        #[pin]
        b: B,
        b_output: Option<B::Output>,
    }
}

impl<A: Future, B: Future> Join<A, B> {
    /// Joins two futures. Neither is polled yet.
    pub fn new(a: A, b: B) -> Self {
        Join {
            a,
            a_output: None,
            b,
            b_output: None,
        }
    }
}

impl<A: Future, B: Future> Future for Join<A, B> {
    type Output = (A::Output, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // A future that is done must not be polled again, and its output waits
        // for the other's. `Pending` of one is no reason not to ask the other:
        // the wake may have been for it, and at first it has not even begun.
        if this.a_output.is_none()
            && let Poll::Ready(output) = this.a.poll(cx)
        {
            *this.a_output = Some(output);
        }
        if this.b_output.is_none()
            && let Poll::Ready(output) = this.b.poll(cx)
        {
            *this.b_output = Some(output);
        }
        match (this.a_output.take(), this.b_output.take()) {
            (Some(a), Some(b)) => Poll::Ready((a, b)),
            (a, b) => {
                (*this.a_output, *this.b_output) = (a, b);
                Poll::Pending
            }
        }
    }
}
