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
        // Not yet. The bell will tell us.
        bell.register(cx.waker());
        Poll::Pending
    })
    .await;
}
