//! Yours.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fetch_core::{FetchError, Options, Request, Response};
use stage5_async_await::fetch::fetch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use crate::Archive;

/// The status of a server that is too busy to answer now (RFC 9110 §15.6.4).
const SERVICE_UNAVAILABLE: u16 = 503;

/// Fetches `request`. If the server says that it is busy, it is left alone for
/// `pause` and then asked once more, and what it says then is the result.
///
/// # Errors
///
/// As stage 5's [`fetch`].
pub async fn fetch_patiently(request: &Request, pause: Duration) -> Result<Response, FetchError> {
    let options = Options::default();
    let response = fetch(0, request, &options).await?;
    if response.status() != SERVICE_UNAVAILABLE {
        return Ok(response);
    }
    // A timer of the runtime: it costs no thread, and this task is woken.
    sleep(pause).await;
    fetch(0, request, &options).await
}

/// Writes `body` into `archive`, and is done once it is there.
///
/// # Errors
///
/// As [`Archive::write`].
pub async fn keep(body: Bytes, archive: Arc<dyn Archive>) -> io::Result<()> {
    // When does it end? When the archive returns. Who cancels it? Nobody, once
    // it runs: dropping this future only stops listening. Who receives its
    // result? This future. What bounds their number? The runtime's limit on
    // threads for blocking calls; further ones wait in its queue.
    //
    // The first `?` is for a call that panicked, or never ran since the runtime
    // was shut down.
    spawn_blocking(move || archive.write(&body)).await?
}
