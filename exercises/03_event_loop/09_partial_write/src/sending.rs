//! Yours.

use std::io::{self, ErrorKind, Write};

use bytes::Buf;
use fetch_core::Request;

/// A request that is being sent.
#[derive(Debug)]
pub struct Sending {
    request: Request,
}

impl Sending {
    /// Nothing of `request` is sent yet.
    pub fn new(request: Request) -> Self {
        Sending { request }
    }

    /// There may be room again: sends what the system takes, and says whether
    /// all of the request is sent. `Ok(false)`: the socket is full, and the
    /// loop is to call again after the next event.
    ///
    /// # Errors
    ///
    /// The connection has failed.
    pub fn on_writable(&mut self, socket: &mut impl Write) -> io::Result<bool> {
        // As with a socket that blocks.
        let mut outgoing = self.request.encode();
        while outgoing.has_remaining() {
            match socket.write(outgoing.chunk()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(length) => outgoing.advance(length),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}
