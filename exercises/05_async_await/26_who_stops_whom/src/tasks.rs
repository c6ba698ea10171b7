//! Yours.

use fetch_core::{FetchError, Request, Response};

use crate::{get, outcome};

/// Fetches all of `requests` at once, and gives the responses in their order.
///
/// Each fetch is a task, so that a runtime with several workers can decode
/// several bodies at the same time. The tasks belong to this call: however it
/// ends, none of them goes on without it.
///
/// # Errors
///
/// The error that comes first in time. The other fetches are cancelled.
pub async fn a_task_each(requests: Vec<Request>) -> Result<Vec<Response>, FetchError> {
    let tasks: Vec<_> = requests
        .into_iter()
        .map(|request| tokio::spawn(get(request)))
        .collect();

    let mut responses = Vec::new();
    for task in tasks {
        // At the first error this returns; what is left is dropped, and so
        // cancelled.
        let response = outcome(task.await)??;
        responses.push(response);
    }
    Ok(responses)
}
