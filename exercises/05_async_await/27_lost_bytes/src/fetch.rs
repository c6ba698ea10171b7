//! A fetch that says that it is still there. Given: there is nothing to change
//! here.

use std::time::Duration;

use bytes::Buf;
use fetch_core::{FetchError, Request, Response};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::receive_and_tell;

/// Fetches `url`, whose host is an IP address. While the response is awaited,
/// `tell` is called every `period` with the time since the request was sent.
///
/// # Errors
///
/// A bad URL, a connection that fails, a response that is wrong.
pub async fn fetch_and_tell(
    url: &str,
    period: Duration,
    tell: impl FnMut(Duration),
) -> Result<Response, FetchError> {
    let request = Request::get(url)?;
    let mut connection = TcpStream::connect(request.authority())
        .await
        .map_err(|error| FetchError::connecting(&request.authority(), &error))?;
    let mut outgoing = request.encode();
    while outgoing.has_remaining() {
        let sent = connection.write_buf(&mut outgoing).await;
        sent.map_err(|error| FetchError::sending(&error))?;
    }
    receive_and_tell(&mut connection, &request, period, tell).await
}
