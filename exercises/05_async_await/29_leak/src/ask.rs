//! Yours: asking with little patience, and asking many at once.

use std::time::Duration;

use fetch_core::{Options, Request, Response};
use stage5_async_await::fetch::fetch;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// The response to `request`, if it comes within `patience`.
pub async fn ask(request: Request, patience: Duration) -> Option<Response> {
    let (reply, answer) = oneshot::channel();
    tokio::spawn(async move {
        let result = fetch(0, &request, &Options::default()).await;
        // Nobody may be listening any more. In Go this send would block for
        // ever; here it fails, so nothing is leaked.
        let _ = reply.send(result);
    });
    match timeout(patience, answer).await {
        Ok(Ok(Ok(response))) => Some(response),
        _ => None,
    }
}

/// The responses to `requests`, in the order in which they come. A fetch that
/// fails has none.
pub async fn ask_all(requests: Vec<Request>) -> Vec<Response> {
    let (answer, mut answers) = mpsc::channel(4);
    for (id, request) in requests.into_iter().enumerate() {
        let answer = answer.clone();
        tokio::spawn(async move {
            if let Ok(response) = fetch(id, &request, &Options::default()).await {
                let _ = answer.send(response).await;
            }
        });
    }
    let mut responses = Vec::new();
    // Until all senders are gone: each task has one, and drops it at its end.
    while let Some(response) = answers.recv().await {
        responses.push(response);
    }
    responses
}
