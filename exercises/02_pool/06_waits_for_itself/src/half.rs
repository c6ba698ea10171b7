//! The halves of a page, each a job for the pool. Given: there is nothing to
//! change here.

use std::sync::mpsc::{self, Receiver};

use fetch_core::{FetchError, Home, OnError, Options, Request, Response};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;
use stage2_thread_pool::pool::Pool;

/// Half a page that is being fetched, or is in the queue.
pub type Half = Receiver<Result<Response, FetchError>>;

/// Hands the fetch of `request` to the pool. Does not wait for it, but for room
/// in the queue.
pub fn submit_half(pool: &Pool, request: Request) -> Half {
    let (tell, told) = mpsc::channel();
    pool.submit(move || {
        let group = Group::new(OnError::Finish);
        let options = Options::default();
        let _ = tell.send(group.run(|| fetch(0, &request, &options, &group)));
    });
    told
}

/// Blocks the calling thread until the half has been fetched.
///
/// # Errors
///
/// Those of the fetch, or `Cancelled`, if the pool has dropped the job.
pub fn wait(half: &Half) -> Result<Response, FetchError> {
    half.recv().unwrap_or(Err(FetchError::Cancelled))
}

/// The page from its halves.
///
/// # Errors
///
/// The first half's error, or else the second's.
pub fn page(
    profile: Result<Response, FetchError>,
    orders: Result<Response, FetchError>,
) -> Result<Home, FetchError> {
    Ok(Home {
        profile: profile?,
        orders: orders?,
    })
}
