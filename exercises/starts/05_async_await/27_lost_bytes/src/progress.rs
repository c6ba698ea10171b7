//! Yours.

use std::time::{Duration, Instant};

use fetch_core::{FetchError, Request, Response};
use tokio::net::TcpStream;
use tokio::select;
use tokio::time::sleep;

use crate::receive;

/// Receives the response to `request` from `connection`, and calls `tell` once
/// every `period` until it is complete, with the time that has passed.
///
/// # Errors
///
/// As [`receive`].
pub async fn receive_and_tell(
    connection: &mut TcpStream,
    request: &Request,
    period: Duration,
    mut tell: impl FnMut(Duration),
) -> Result<Response, FetchError> {
    let start = Instant::now();
    loop {
        select! {
            response = receive(connection, request) => return response,
            // The connection stays open, so the next turn reads on.
            () = sleep(period) => tell(start.elapsed()),
        }
    }
}
