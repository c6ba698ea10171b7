//! Yours.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use fetch_core::{FetchError, Options, Request, Response};
use stage5_async_await::fetch::fetch;

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
    // This is an async fn, so others go on in the meantime.
    thread::sleep(pause);
    fetch(0, request, &options).await
}

/// Writes `body` into `archive`, and is done once it is there.
///
/// # Errors
///
/// As [`Archive::write`].
pub async fn keep(body: Bytes, archive: Arc<dyn Archive>) -> io::Result<()> {
    archive.write(&body)
}
