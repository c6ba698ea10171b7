//! Yours.

use std::sync::Arc;
use std::sync::mpsc;

use fetch_core::{FetchError, Home, home_requests};
use stage2_thread_pool::pool::Pool;

use crate::{page, submit_half, wait};

/// Loads the pages of all `users` on the pool's workers, two fetches for each
/// page, and gives them in the order of the users. Blocks until all are there.
///
/// A page that fails is that user's error, and the others go on.
pub fn load_pages(pool: &Arc<Pool>, origin: &str, users: &[u64]) -> Vec<Result<Home, FetchError>> {
    let mut pages = Vec::new();
    for &user in users {
        let (tell, told) = mpsc::channel();
        let (pool_again, origin) = (Arc::clone(pool), origin.to_owned());
        // What takes time is a job for the pool: so is a page.
        pool.submit(move || {
            let _ = tell.send(load_page(&pool_again, &origin, user));
        });
        pages.push(told);
    }
    pages
        .iter()
        .map(|page| page.recv().unwrap_or(Err(FetchError::Cancelled)))
        .collect()
}

/// Loads one page, its two halves side by side.
fn load_page(pool: &Pool, origin: &str, user: u64) -> Result<Home, FetchError> {
    let [profile, orders] = home_requests(origin, user)?;
    let profile = submit_half(pool, profile);
    let orders = submit_half(pool, orders);
    page(wait(&profile), wait(&orders))
}
