//! Yours: to wait for a condition.

use std::future::poll_fn;
use std::task::Poll;

use crate::Bell;

/// Waits until `condition` holds. Other threads make it hold, and ring `bell`
/// each time it may have changed.
pub async fn until(bell: &Bell, mut condition: impl FnMut() -> bool) {
    poll_fn(|cx| {
        if condition() {
            return Poll::Ready(());
        }
        bell.register(cx.waker());
        // Again: it may have changed since the first look, and then the bell
        // has rung for nobody. If it changes from here on, it rings for us.
        // (This look alone would do, too: the first only saves a registration.)
        if condition() {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}
