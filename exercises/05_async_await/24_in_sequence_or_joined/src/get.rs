//! One fetch, by stage 5. Given: there is nothing to change here.

use fetch_core::{FetchError, Options, Request};
use stage5_async_await::fetch::fetch;

/// Fetches `url`, and gives the body as text.
///
/// # Errors
///
/// Any that stage 5's [`fetch`] gives, and those of a bad URL.
pub async fn get(url: String) -> Result<String, FetchError> {
    let request = Request::get(&url)?;
    let response = fetch(0, &request, &Options::default()).await?;
    Ok(String::from_utf8_lossy(response.body()).into_owned())
}
