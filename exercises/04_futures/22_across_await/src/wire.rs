//! Sending and receiving on a socket of stage 4. Given.

use std::future::poll_fn;

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response};
use stage4_hand_rolled_future::tcp::TcpStream;

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Sends all of `bytes`.
pub(crate) async fn send(stream: &TcpStream, mut bytes: impl Buf) -> Result<(), FetchError> {
    while bytes.has_remaining() {
        let sent = stream.write(bytes.chunk()).await;
        bytes.advance(sent.map_err(|error| FetchError::sending(&error))?);
    }
    Ok(())
}

/// Receives the response to `request`.
pub(crate) async fn receive(stream: &TcpStream, request: &Request) -> Result<Response, FetchError> {
    let mut buffer = BytesMut::new();
    let mut parser = HeadParser::new();
    let head = loop {
        if let Some(head) = parser.parse(&mut buffer)? {
            break head;
        }
        if read(stream, &mut buffer).await? == 0 {
            return Err(FetchError::closed_before_head());
        }
    };
    let mut body = BodyDecoder::new(request.method(), &head, MAX_BODY_BYTES)?;
    while !body.decode(&mut buffer)? {
        if read(stream, &mut buffer).await? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(head.into_response(body))
}

/// Reads what is there to the end of `buffer`.
async fn read(stream: &TcpStream, buffer: &mut BytesMut) -> Result<usize, FetchError> {
    poll_fn(|cx| {
        // In here, and not before it: on the stack, for as long as a poll takes.
        let mut chunk = [0; 8 * 1024];
        stream.poll_read(cx, &mut chunk).map_ok(|length| {
            buffer.extend_from_slice(&chunk[..length]);
            length
        })
    })
    .await
    .map_err(|error| FetchError::reading_body(&error))
}
