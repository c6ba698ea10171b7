//! Yours: two futures in one.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

pin_project! {
    /// Both outputs, when both futures are done.
    pub struct Join<A: Future, B: Future> {
        #[pin]
        a: A,
        a_output: Option<A::Output>,
        #[pin]
        b: B,
    }
}

impl<A: Future, B: Future> Join<A, B> {
    /// Joins two futures. Neither is polled yet.
    pub fn new(a: A, b: B) -> Self {
        Join {
            a,
            a_output: None,
            b,
        }
    }
}

impl<A: Future, B: Future> Future for Join<A, B> {
    type Output = (A::Output, B::Output);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // A future that is done must not be polled again.
        if this.a_output.is_none() {
            *this.a_output = Some(ready!(this.a.poll(cx)));
        }
        let b = ready!(this.b.poll(cx));
        match this.a_output.take() {
            Some(a) => Poll::Ready((a, b)),
            None => panic!("polled after it was done"),
        }
    }
}
