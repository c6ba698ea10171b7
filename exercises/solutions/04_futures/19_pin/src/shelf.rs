//! Yours: where futures are kept while they wait.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Futures that are not done, in order.
pub struct Shelf<F> {
    /// Each in a box of its own: when the others move up it is the pointers that
    /// move.
    futures: Vec<Pin<Box<F>>>,
}

impl<F: Future> Shelf<F> {
    /// An empty shelf.
    pub fn new() -> Self {
        Shelf {
            futures: Vec::new(),
        }
    }

    /// Puts a future at the end.
    pub fn push(&mut self, future: F) {
        self.futures.push(Box::pin(future));
    }

    /// Polls each future once. Gives the outputs of those that are done, and
    /// keeps the others.
    pub fn poll_all(&mut self, cx: &mut Context<'_>) -> Vec<F::Output> {
        let mut outputs = Vec::new();
        let mut at = 0;
        while at < self.futures.len() {
            match self.futures[at].as_mut().poll(cx) {
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

impl<F: Future> Default for Shelf<F> {
    fn default() -> Self {
        Shelf::new()
    }
}
