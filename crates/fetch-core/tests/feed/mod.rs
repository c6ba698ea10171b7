//! A connection without a socket: pieces of a response, and how it ends.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Response, ResponseHead};
use http::Method;

/// How a connection ends after its last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The end of input.
    Eof,
    /// A reset.
    Reset,
    /// Not at all, until the deadline.
    Open,
}

/// What the loop of every stage does, with `pieces` for what each read brings.
pub(crate) fn feed<'a>(
    method: &Method,
    pieces: impl IntoIterator<Item = &'a [u8]>,
    ending: Ending,
    max_body_bytes: u64,
) -> Result<Response, FetchError> {
    let mut buffer = BytesMut::new();
    let mut pieces = pieces.into_iter();
    let head = read_head(&mut buffer, &mut pieces, ending)?;
    let mut body = BodyDecoder::new(method, &head, max_body_bytes)?;
    while !body.decode(&mut buffer)? {
        match (pieces.next(), ending) {
            (Some(piece), _) => buffer.extend_from_slice(piece),
            (None, Ending::Open) => return Err(deadline_passed()),
            (None, Ending::Reset) => return Err(FetchError::reading_body(&reset())),
            (None, Ending::Eof) => {
                body.end_of_input()?;
                break;
            }
        }
    }
    Ok(head.into_response(body))
}

fn read_head<'a>(
    buffer: &mut BytesMut,
    pieces: &mut impl Iterator<Item = &'a [u8]>,
    ending: Ending,
) -> Result<ResponseHead, FetchError> {
    let mut parser = HeadParser::new();
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Ok(head);
        }
        match (pieces.next(), ending) {
            (Some(piece), _) => buffer.extend_from_slice(piece),
            (None, Ending::Open) => return Err(deadline_passed()),
            (None, Ending::Reset) => return Err(FetchError::reading_head(&reset())),
            (None, Ending::Eof) => return Err(FetchError::closed_before_head()),
        }
    }
}

fn reset() -> io::Error {
    io::ErrorKind::ConnectionReset.into()
}

fn deadline_passed() -> FetchError {
    FetchError::Timeout {
        deadline: Duration::from_millis(800),
    }
}
