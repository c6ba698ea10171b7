//! Yours.

use std::io::Read;

use bytes::BytesMut;
use fetch_core::{FetchError, HeadParser, ResponseHead};

use crate::read;

/// Reads a response's head, and takes it out of `buffer`. What comes after it,
/// and happened to be read along with it, stays there.
///
/// `HeadParser::parse` gives `Ok(None)` as long as the head is not complete.
///
/// # Errors
///
/// The connection has failed; what came is no head; or it ended before the
/// head was complete (`FetchError::closed_before_head()`).
pub fn read_head(
    connection: &mut impl Read,
    buffer: &mut BytesMut,
) -> Result<ResponseHead, FetchError> {
    let mut parser = HeadParser::new();
    loop {
        // First of all: what is in the buffer already may be enough.
        if let Some(head) = parser.parse(buffer)? {
            return Ok(head);
        }
        // How many bytes came says nothing about the head. That none came
        // says that none will.
        if read(connection, buffer, FetchError::reading_head)? == 0 {
            return Err(FetchError::closed_before_head());
        }
    }
}
