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
        // All under one lock: between looking and keeping, nobody can come in.
        let mut pages = self.lock();
        if let Some(page) = pages.get(request.url()) {
            return Ok(page.clone());
        }
        let page = fetch(0, request, &Options::default()).await?.into_body();
        pages.insert(request.url().to_owned(), page.clone());
        Ok(page)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Bytes>> {
        // Nothing under this lock can panic half-way through a change.
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
