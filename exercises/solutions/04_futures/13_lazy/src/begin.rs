//! Yours.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A future that has begun, and is awaited later.
pub struct Begun<F: Future> {
    future: Pin<Box<F>>,
    /// If the first poll was also the last.
    output: Option<F::Output>,
}

// The output is never pinned, only moved.
impl<F: Future> Unpin for Begun<F> {}

/// Begins `future`: a fetch is to be on its way when this returns, so that the
/// caller can do something else meanwhile. It does not wait.
pub fn begin<F: Future>(future: F) -> Begun<F> {
    let mut future = Box::pin(future);
    // Nobody is to be woken: whoever awaits this polls it first, and leaves a
    // waker of his own.
    let mut nobody = Context::from_waker(Waker::noop());
    let output = match future.as_mut().poll(&mut nobody) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    };
    Begun { future, output }
}

impl<F: Future> Future for Begun<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        if let Some(output) = self.output.take() {
            return Poll::Ready(output);
        }
        self.future.as_mut().poll(cx)
    }
}
