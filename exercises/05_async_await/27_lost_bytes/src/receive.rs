//! Receives one response. Given: there is nothing to change here.

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Reads from `connection` until the response to `request` is complete.
///
/// What has come so far is kept in this future: in the buffer, in the parser,
/// in the decoder.
///
/// # Errors
///
/// The connection has failed, or the response is wrong.
pub async fn receive(
    connection: &mut TcpStream,
    request: &Request,
) -> Result<Response, FetchError> {
    let mut buffer = BytesMut::new();
    let mut parser = HeadParser::new();
    let head = loop {
        if let Some(head) = parser.parse(&mut buffer)? {
            break head;
        }
        let read = connection.read_buf(&mut buffer).await;
        if read.map_err(|error| FetchError::reading_head(&error))? == 0 {
            return Err(FetchError::closed_before_head());
        }
    };
    let mut body = BodyDecoder::new(request.method(), &head, MAX_BODY_BYTES)?;
    while !body.decode(&mut buffer)? {
        let read = connection.read_buf(&mut buffer).await;
        if read.map_err(|error| FetchError::reading_body(&error))? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(head.into_response(body))
}
