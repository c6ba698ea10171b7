//! Yours: the future of `by_compiler.rs` by hand.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use crate::{Borrowed, REASON_AT, StartLine};

pin_project! {
    /// Finds the reason phrase in a start line, waits for its turn, and gives
    /// the phrase.
    pub struct Reason<F> {
        line: StartLine,
        // Points into `line`, from the first poll on.
        reason: Option<Borrowed>,
        #[pin]
        turn: F,
    }
}

impl<F> Reason<F> {
    /// The reason phrase of `line`, when `turn` has come. It borrows nothing
    /// before its first poll.
    pub fn new(line: StartLine, turn: F) -> Self {
        Reason {
            line,
            reason: None,
            turn,
        }
    }
}

impl<F: Future<Output = ()>> Future for Reason<F> {
    type Output = String;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<String> {
        let this = self.project();
        let line: &StartLine = this.line;
        let reason = *this
            .reason
            .get_or_insert_with(|| Borrowed::to(&line[REASON_AT..]));
        ready!(this.turn.poll(cx));
        let reason = String::from_utf8_lossy(reason.read(line));
        Poll::Ready(reason.trim_end().to_owned())
    }
}
