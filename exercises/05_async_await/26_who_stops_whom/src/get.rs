//! One fetch, by stage 5, and the end of a task. Given: there is nothing to
//! change here.

use std::panic::resume_unwind;

use fetch_core::{FetchError, Options, Request, Response};
use stage5_async_await::fetch::fetch;
use tokio::task::JoinError;

/// Fetches `request`.
///
/// # Errors
///
/// As stage 5's [`fetch`].
pub async fn get(request: Request) -> Result<Response, FetchError> {
    fetch(0, &request, &Options::default()).await
}

/// What a task gave, if it came to its end.
///
/// # Errors
///
/// `cancelled`, if it was aborted.
///
/// # Panics
///
/// As the task did.
pub fn outcome<T>(ended: Result<T, JoinError>) -> Result<T, FetchError> {
    ended.map_err(|error| match error.try_into_panic() {
        Ok(panic) => resume_unwind(panic),
        Err(_aborted) => FetchError::Cancelled,
    })
}
