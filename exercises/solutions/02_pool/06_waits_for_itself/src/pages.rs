//! Yours.

use std::sync::Arc;

use fetch_core::{FetchError, Home, home_requests};
use stage2_thread_pool::pool::Pool;

use crate::{Half, page, submit_half, wait};

/// Loads the pages of all `users` on the pool's workers, two fetches for each
/// page, and gives them in the order of the users. Blocks until all are there.
///
/// A page that fails is that user's error, and the others go on.
pub fn load_pages(pool: &Arc<Pool>, origin: &str, users: &[u64]) -> Vec<Result<Home, FetchError>> {
    // First all halves, from out here: `submit` may wait for room, and the
    // workers make it, since none of them waits for a job.
    let pages: Vec<_> = users
        .iter()
        .map(|user| submit_page(pool, origin, *user))
        .collect();
    // Then the waiting. Somebody has to wait for the halves; it costs nothing
    // on this thread, which no job needs.
    pages
        .into_iter()
        .map(|halves| {
            let [profile, orders] = halves?;
            page(wait(&profile), wait(&orders))
        })
        .collect()
}

/// Hands both halves of a page to the pool.
fn submit_page(pool: &Pool, origin: &str, user: u64) -> Result<[Half; 2], FetchError> {
    let requests = home_requests(origin, user)?;
    Ok(requests.map(|request| submit_half(pool, request)))
}
