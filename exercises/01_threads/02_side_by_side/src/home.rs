//! Yours.

use std::thread;

use fetch_core::{FetchError, Home, OnError, Options, home_requests};
use stage1_blocking_threads::group::Group;

use crate::{half, page};

/// Loads both halves of a user's page side by side. `origin` is a URL without
/// a path.
///
/// # Errors
///
/// That of the half that failed first; it ends the other.
pub fn load_home(origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
    let requests = home_requests(origin, user)?;
    let group = Group::new(OnError::CancelOthers);

    let halves = thread::scope(|scope| {
        requests
            .iter()
            .enumerate()
            // First, a thread for each half ...
            .map(|(index, request)| {
                let group = &group;
                scope.spawn(move || half(index, request, options, group))
            })
            // ... then, when both have been started, wait for both.
            .map(|thread| thread.join().expect("the group catches panics"))
            .collect()
    });
    page(halves)
}
