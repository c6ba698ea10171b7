//! Yours.

use fetch_core::{FetchError, Request, Response};
use tokio::task::JoinSet;

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
    let mut responses = vec![None; requests.len()];

    // When does each end? With its fetch. Who cancels it? The set: it aborts
    // what it still has when it is dropped, and a `JoinHandle` does not. Who
    // receives its result? `join_next`, in the order in which they end. What
    // bounds their number? The caller.
    let mut tasks = JoinSet::new();
    for (id, request) in requests.into_iter().enumerate() {
        tasks.spawn(async move { (id, get(request).await) });
    }
    while let Some(ended) = tasks.join_next().await {
        let (id, response) = outcome(ended)?;
        responses[id] = Some(response?);
    }
    Ok(responses.into_iter().flatten().collect())
}
