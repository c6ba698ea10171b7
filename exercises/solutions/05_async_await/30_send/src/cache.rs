//! Yours: pages that are fetched once and kept.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use fetch_core::{FetchError, Options, Request};
use stage5_async_await::fetch::fetch;

/// Pages by their URL. Tasks share it.
#[derive(Debug, Default)]
pub struct Cache {
    pages: Mutex<HashMap<String, Bytes>>,
}

impl Cache {
    /// The page at `request`'s URL: the one that is kept, or else a new one,
    /// which is kept from then on.
    ///
    /// # Errors
    ///
    /// As [`fetch`]; then nothing is kept.
    pub async fn page(&self, request: &Request) -> Result<Bytes, FetchError> {
        // The guard's scope ends in this line, and not behind the fetch.
        let kept = self.lock().get(request.url()).cloned();
        if let Some(page) = kept {
            return Ok(page);
        }
        let page = fetch(0, request, &Options::default()).await?.into_body();
        // Another task may have kept this page meanwhile. Then it was fetched
        // twice, and the one that is there stays, as the others have it.
        let mut pages = self.lock();
        let kept = pages.entry(request.url().to_owned()).or_insert(page);
        Ok(kept.clone())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Bytes>> {
        // Nothing under this lock can panic half-way through a change.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
