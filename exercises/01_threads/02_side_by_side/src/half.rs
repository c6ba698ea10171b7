//! The halves of the page. Given: there is nothing to change here.

use fetch_core::{FetchError, Home, Options, Request, Response};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

/// Fetches one half as stage 1 does, and blocks the calling thread until it is
/// done. If it fails, its group ends the other halves that are being fetched.
///
/// # Errors
///
/// Those of the fetch; a panic in it is one, too.
pub fn half(
    index: usize,
    request: &Request,
    options: &Options,
    group: &Group,
) -> Result<Response, FetchError> {
    group.run(|| fetch(index, request, options, group))
}

/// The page from its halves: the profile, then the orders.
///
/// # Errors
///
/// The error of the half that failed first.
pub fn page(halves: Vec<Result<Response, FetchError>>) -> Result<Home, FetchError> {
    let mut halves = halves.into_iter();
    let mut next = || halves.next().unwrap_or(Err(FetchError::Cancelled));
    match (next(), next()) {
        (Ok(profile), Ok(orders)) => Ok(Home { profile, orders }),
        // The one that was cancelled did not fail first.
        (Err(FetchError::Cancelled), Err(error)) | (Err(error), _) | (_, Err(error)) => Err(error),
    }
}
