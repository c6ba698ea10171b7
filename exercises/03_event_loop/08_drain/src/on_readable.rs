//! Yours.

use std::io::{self, ErrorKind, Read};

use bytes::BytesMut;

/// How much one read can bring, in bytes.
const CHUNK: usize = 8 * 1024;

/// What is known of the input when all that was there has been read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// More may come. The loop may wait for the next event.
    Open,
    /// The server has closed its side: nothing more will come.
    Ended,
}

/// An event has been reported: reads what the socket has, to the end of
/// `buffer`.
///
/// # Errors
///
/// The connection has failed.
pub fn on_readable(socket: &mut impl Read, buffer: &mut BytesMut) -> io::Result<Input> {
    let mut chunk = [0; CHUNK];
    match socket.read(&mut chunk) {
        Ok(0) => Ok(Input::Ended),
        Ok(length) => {
            buffer.extend_from_slice(&chunk[..length]);
            // If there is more, the next event says so.
            Ok(Input::Open)
        }
        Err(error) => match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::Interrupted => Ok(Input::Open),
            _ => Err(error),
        },
    }
}
