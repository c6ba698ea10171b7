//! Yours: the smallest executor.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

/// Runs `future` to its end on the calling thread. While it is pending the
/// thread sleeps, until somebody calls the waker that the last poll was given.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut cx) {
            return output;
        }
        // An unpark that came since the poll began is remembered, and this
        // returns at once. It may also return for no reason: a poll in vain.
        thread::park();
    }
}

/// Waking means to let this thread go on.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}
