//! One fetch, from the first line to the last, as it would be written if
//! waiting cost nothing.

use bytes::BytesMut;
use fetch_core::wait;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};

use crate::connection::Connection;
use crate::group::Group;

/// Fetches `request`, blocking the calling thread until it is done.
///
/// # Errors
///
/// Any [`FetchError`] but those that [`Request::new`] finds.
pub fn fetch(
    id: usize,
    request: &Request,
    options: &Options,
    group: &Group,
) -> Result<Response, FetchError> {
    wait::started(id);
    let result = exchange(id, request, options, group);
    wait::finished(id, &result);
    result
}

fn exchange(
    id: usize,
    request: &Request,
    options: &Options,
    group: &Group,
) -> Result<Response, FetchError> {
    let mut connection = Connection::open(id, request, options, group)?;
    connection.send_request()?;

    let mut buffer = BytesMut::new();
    let head = read_head(&mut connection, &mut buffer)?;
    let body = BodyDecoder::new(request.method(), &head, options.max_body_bytes)?;
    let body = read_body(&mut connection, &mut buffer, body)?;
    Ok(head.into_response(body))
}

/// Reads until the head is complete. How far it has come is kept in this
/// frame: a buffer, a parser, and the place in the loop.
fn read_head(
    connection: &mut Connection<'_>,
    buffer: &mut BytesMut,
) -> Result<ResponseHead, FetchError> {
    let mut parser = HeadParser::new();
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Ok(head);
        }
        if connection.read(buffer, FetchError::reading_head)? == 0 {
            return Err(FetchError::closed_before_head());
        }
    }
}

/// Reads until the body is complete.
fn read_body(
    connection: &mut Connection<'_>,
    buffer: &mut BytesMut,
    mut body: BodyDecoder,
) -> Result<BodyDecoder, FetchError> {
    while !body.decode(buffer)? {
        if connection.read(buffer, FetchError::reading_body)? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(body)
}
