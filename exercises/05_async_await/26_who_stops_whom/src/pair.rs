//! Two fetches in one task, for comparison. Given: there is nothing to change
//! here.

use fetch_core::{FetchError, Request, Response};

use crate::get;

/// Fetches both. The first error makes `try_join!` return; its other future is
/// dropped with it, and the connection is closed.
///
/// # Errors
///
/// The first error of the two.
pub async fn one_task(requests: [Request; 2]) -> Result<[Response; 2], FetchError> {
    let [first, second] = requests;
    let (first, second) = tokio::try_join!(get(first), get(second))?;
    Ok([first, second])
}
