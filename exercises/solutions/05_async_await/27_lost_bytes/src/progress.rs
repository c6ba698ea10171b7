//! Yours.

use std::pin::pin;
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
    // One future for the whole response: it holds what has come so far, and
    // must live as long as that is needed. `select!` gets it lent in each turn,
    // and only what is lent is dropped when the other branch wins.
    let mut response = pin!(receive(connection, request));
    loop {
        select! {
            response = &mut response => return response,
            // Nothing is lost with this one: a new timer is as good.
            () = sleep(period) => tell(start.elapsed()),
        }
    }
}
