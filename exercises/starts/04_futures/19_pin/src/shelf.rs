//! Yours: where futures are kept while they wait.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Futures that are not done, in order.
pub struct Shelf<F> {
    futures: Vec<F>,
}

impl<F: Future + Unpin> Shelf<F> {
    /// An empty shelf.
    pub fn new() -> Self {
        Shelf {
            futures: Vec::new(),
        }
    }

    /// Puts a future at the end.
    pub fn push(&mut self, future: F) {
        self.futures.push(future);
    }

    /// Polls each future once. Gives the outputs of those that are done, and
    /// keeps the others.
    pub fn poll_all(&mut self, cx: &mut Context<'_>) -> Vec<F::Output> {
        let mut outputs = Vec::new();
        let mut at = 0;
        while at < self.futures.len() {
            match Pin::new(&mut self.futures[at]).poll(cx) {
                Poll::Ready(output) => {
                    outputs.push(output);
                    // The others move up.
                    self.futures.remove(at);
                }
                Poll::Pending => at += 1,
            }
        }
        outputs
    }
}

impl<F: Future + Unpin> Default for Shelf<F> {
    fn default() -> Self {
        Shelf::new()
    }
}
