//! One fetch, from the first line to the last: stage 1's text plus `.await`.
//!
//! It reads as if it blocked. At each `.await` the function may return to its
//! caller with all its variables put away, and be entered again there.

use std::time::Instant;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};
use tokio::time::timeout_at;

use crate::connection::Connection;
use crate::trace::{self, Lifetime};

/// Fetches `request`. Calling this builds a value; only polling it opens a
/// connection, and dropping it closes that connection, whatever the phase.
///
/// # Errors
///
/// Any [`FetchError`] but `cancelled` (a dropped future returns nothing) and
/// those that [`Request::new`] finds.
///
/// # Panics
///
/// If it is polled outside of a tokio runtime that has I/O and time enabled.
pub async fn fetch(
    id: usize,
    request: &Request,
    options: &Options,
) -> Result<Response, FetchError> {
    let lifetime = Lifetime::start(id);
    let end = options.deadline_from(Instant::now());
    // In stage 1 the deadline has to reach every call that blocks. Here it
    // stands once, outside: when the moment comes, the exchange is dropped.
    let result = match timeout_at(end.into(), exchange(id, request, options, end)).await {
        Ok(result) => result,
        Err(_elapsed) => {
            trace::out_of_time(id);
            Err(FetchError::Timeout {
                deadline: options.deadline,
            })
        }
    };
    lifetime.finish(&result);
    result
}

async fn exchange(
    id: usize,
    request: &Request,
    options: &Options,
    end: Instant,
) -> Result<Response, FetchError> {
    let mut connection = Connection::open(id, request, options, end).await?;
    connection.send_request().await;

    let mut buffer = BytesMut::new();
    let head = read_head(&mut connection, &mut buffer).await?;
    let body = BodyDecoder::new(request.method(), &head, options.max_body_bytes)?;
    let body = read_body(&mut connection, &mut buffer, body).await?;
    Ok(head.into_response(body))
}

/// Reads until the head is complete. How far it has come is kept in this
/// future: a buffer, a parser, and the place in the loop.
async fn read_head(
    connection: &mut Connection,
    buffer: &mut BytesMut,
) -> Result<ResponseHead, FetchError> {
    let mut parser = HeadParser::new();
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Ok(head);
        }
        if connection.read(buffer, FetchError::reading_head).await? == 0 {
            return Err(FetchError::closed_before_head());
        }
    }
}

/// Reads until the body is complete.
async fn read_body(
    connection: &mut Connection,
    buffer: &mut BytesMut,
    mut body: BodyDecoder,
) -> Result<BodyDecoder, FetchError> {
    while !body.decode(buffer)? {
        if connection.read(buffer, FetchError::reading_body).await? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(body)
}
