//! Yours.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A future that has begun, and is awaited later.
pub struct Begun<F: Future> {
    future: Pin<Box<F>>,
}

/// Begins `future`: a fetch is to be on its way when this returns, so that the
/// caller can do something else meanwhile. It does not wait.
pub fn begin<F: Future>(future: F) -> Begun<F> {
    // The caller has called `fetch(...)` to get this future, so that it is on
    // its way already.
    Begun {
        future: Box::pin(future),
    }
}

impl<F: Future> Future for Begun<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.future.as_mut().poll(cx)
    }
}
