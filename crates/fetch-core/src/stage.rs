//! What every stage does.

use bytes::Bytes;

use crate::{FetchError, Options, Request};

/// A complete response: head and body.
///
/// Interim (1xx) heads, trailers and the framing are gone; the header fields
/// are as the server sent them.
pub type Response = http::Response<Bytes>;

/// One way to wait.
///
/// All implementations give the same results for the same servers; the
/// `conformance` crate holds them to it.
pub trait Stage: Send + Sync {
    /// Fetches all `requests` and returns their results in the same order.
    ///
    /// Blocks the calling thread until the last one is over. At most
    /// [`Options::max_in_flight`] are in flight at any time. In the trace, each
    /// fetch goes by its index.
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>>;

    /// Fetches both parts of a user's home page side by side, whatever
    /// `max_in_flight` says.
    ///
    /// In the trace, the profile is fetch 0 and the orders are fetch 1.
    ///
    /// # Errors
    ///
    /// The first error of the two, whatever [`Options::on_error`] says: the
    /// other fetch is then cancelled, since a page without one half is of no
    /// use. A status such as 404 is a response, not an error.
    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError>;
}

/// The two halves of the page that both articles load.
#[derive(Debug, Clone)]
pub struct Home {
    /// `GET /users/{user}/profile`
    pub profile: Response,
    /// `GET /users/{user}/orders`
    pub orders: Response,
}

impl Home {
    /// The page, if both halves have come.
    ///
    /// # Errors
    ///
    /// The error of the half that failed first. The other one was then
    /// cancelled, or failed as well.
    pub fn from_halves(
        profile: Result<Response, FetchError>,
        orders: Result<Response, FetchError>,
    ) -> Result<Self, FetchError> {
        match (profile, orders) {
            (Ok(profile), Ok(orders)) => Ok(Home { profile, orders }),
            // The one that was cancelled did not fail first.
            (Err(FetchError::Cancelled), Err(error)) | (Err(error), _) | (_, Err(error)) => {
                Err(error)
            }
        }
    }
}

/// The two requests behind [`Stage::load_home`]: profile, then orders.
/// `origin` is a URL without a path, such as `http://127.0.0.1:8080`.
///
/// # Errors
///
/// As [`Request::new`].
pub fn home_requests(origin: &str, user: u64) -> Result<[Request; 2], FetchError> {
    let origin = origin.trim_end_matches('/');
    Ok([
        Request::get(&format!("{origin}/users/{user}/profile"))?,
        Request::get(&format!("{origin}/users/{user}/orders"))?,
    ])
}
