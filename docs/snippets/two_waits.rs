//! Two waits, one after the other. `scripts/future-layout.sh` shows what the
//! compiler makes of them.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

/// Waits for one part of a user's page.
pub struct Fetch {
    pub user: u64,
    pub part: &'static str,
}

impl Future for Fetch {
    type Output = String;

    fn poll(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<String> {
        Poll::Ready(format!("{} of {}", self.part, self.user))
    }
}

pub async fn load_home(user: u64) -> String {
    let part = "profile";
    let profile = Fetch { user, part }.await;
    let part = "orders";
    let orders = Fetch { user, part }.await;
    format!("{profile}, {orders}")
}
