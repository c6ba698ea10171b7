//! A fetch that blocks, and has a deadline for what it reads. Given: there is
//! nothing to change here.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response};

use crate::Connection;

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Fetches `url`, whose host is an IP address. From the time at which the
/// request is sent, the response has to be complete within `deadline`.
///
/// # Errors
///
/// A bad URL, a connection that fails, a response that is wrong or late.
pub fn fetch(url: &str, deadline: Duration) -> Result<Response, FetchError> {
    let request = Request::get(url)?;
    let mut stream = TcpStream::connect(request.authority())
        .map_err(|error| FetchError::connecting(&request.authority(), &error))?;
    let mut outgoing = request.encode();
    while outgoing.has_remaining() {
        let sent = stream.write(outgoing.chunk());
        outgoing.advance(sent.map_err(|error| FetchError::sending(&error))?);
    }

    let mut connection = Connection::new(stream, deadline);
    let mut buffer = BytesMut::new();
    let mut parser = HeadParser::new();
    let head = loop {
        if let Some(head) = parser.parse(&mut buffer)? {
            break head;
        }
        if connection.read(&mut buffer)? == 0 {
            return Err(FetchError::closed_before_head());
        }
    };
    let mut body = BodyDecoder::new(request.method(), &head, MAX_BODY_BYTES)?;
    while !body.decode(&mut buffer)? {
        if connection.read(&mut buffer)? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(head.into_response(body))
}
