//! A fetch that blocks, as in stage 1 but for deadlines and cancelling. Given:
//! there is nothing to change here.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, Request, Response};

use crate::read_head;

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Fetches `url`, whose host is an IP address, and blocks until it is done.
///
/// # Errors
///
/// A bad URL, a connection that fails, a response that is wrong.
pub fn fetch(url: &str) -> Result<Response, FetchError> {
    let request = Request::get(url)?;
    let mut connection = TcpStream::connect(request.authority())
        .map_err(|error| FetchError::connecting(&request.authority(), &error))?;
    let mut outgoing = request.encode();
    while outgoing.has_remaining() {
        let sent = connection.write(outgoing.chunk());
        outgoing.advance(sent.map_err(|error| FetchError::sending(&error))?);
    }

    let mut buffer = BytesMut::new();
    let head = read_head(&mut connection, &mut buffer)?;
    let mut body = BodyDecoder::new(request.method(), &head, MAX_BODY_BYTES)?;
    while !body.decode(&mut buffer)? {
        if read(&mut connection, &mut buffer, FetchError::reading_body)? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(head.into_response(body))
}

/// Reads what is there, at most 16 KiB, to the end of `buffer`, and says how
/// much that was. Blocks until there is something. `Ok(0)` is the end: the
/// server has closed, and nothing more will come.
///
/// # Errors
///
/// The connection has failed; `kind` says which of our errors that is.
pub fn read(
    connection: &mut impl Read,
    buffer: &mut BytesMut,
    kind: fn(&io::Error) -> FetchError,
) -> Result<usize, FetchError> {
    let mut chunk = [0; 16 * 1024];
    loop {
        match connection.read(&mut chunk) {
            Ok(length) => {
                buffer.extend_from_slice(&chunk[..length]);
                return Ok(length);
            }
            // A signal: the call has done nothing.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(kind(&error)),
        }
    }
}
