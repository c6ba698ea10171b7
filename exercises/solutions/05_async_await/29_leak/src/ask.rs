//! Yours: asking with little patience, and asking many at once.

use std::time::Duration;

use fetch_core::{Options, Request, Response};
use stage5_async_await::fetch::fetch;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// The response to `request`, if it comes within `patience`.
pub async fn ask(request: Request, patience: Duration) -> Option<Response> {
    // No task, and so nothing to detach: when the time is up the fetch is
    // dropped, and so it is when whoever has this future drops it.
    match timeout(patience, fetch(0, &request, &Options::default())).await {
        Ok(Ok(response)) => Some(response),
        _ => None,
    }
}

/// The responses to `requests`, in the order in which they come. A fetch that
/// fails has none.
pub async fn ask_all(requests: Vec<Request>) -> Vec<Response> {
    let (answer, mut answers) = mpsc::channel(4);
    // When do they end? With their fetch. Who cancels them? This set, when it is
    // dropped. Who receives their results? The loop below. What bounds their
    // number? The caller, by what he asks for.
    let mut tasks = JoinSet::new();
    for (id, request) in requests.into_iter().enumerate() {
        let answer = answer.clone();
        tasks.spawn(async move {
            if let Ok(response) = fetch(id, &request, &Options::default()).await {
                let _ = answer.send(response).await;
            }
        });
    }
    // It was there to be cloned. With it here, there would always be a sender.
    drop(answer);
    let mut responses = Vec::new();
    // Until all senders are gone: each task has one, and drops it at its end.
    while let Some(response) = answers.recv().await {
        responses.push(response);
    }
    responses
}
