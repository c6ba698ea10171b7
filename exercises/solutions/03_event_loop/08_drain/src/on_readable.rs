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
    loop {
        match socket.read(&mut chunk) {
            Ok(0) => return Ok(Input::Ended),
            // However few they are: more may lie behind them.
            Ok(length) => buffer.extend_from_slice(&chunk[..length]),
            // Only now the system reports the next bytes as a change.
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Input::Open),
            // The call has done nothing.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
