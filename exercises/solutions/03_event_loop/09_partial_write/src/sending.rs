//! Yours.

use std::io::{self, ErrorKind, Write};

use bytes::Buf;
use fetch_core::{Outgoing, Request};

/// A request that is being sent.
#[derive(Debug)]
pub struct Sending {
    /// What of it is not sent yet. A local variable would be gone when
    /// `on_writable` returns.
    outgoing: Outgoing,
}

impl Sending {
    /// Nothing of `request` is sent yet.
    pub fn new(request: Request) -> Self {
        Sending {
            outgoing: request.encode(),
        }
    }

    /// There may be room again: sends what the system takes, and says whether
    /// all of the request is sent. `Ok(false)`: the socket is full, and the
    /// loop is to call again after the next event.
    ///
    /// # Errors
    ///
    /// The connection has failed.
    pub fn on_writable(&mut self, socket: &mut impl Write) -> io::Result<bool> {
        while self.outgoing.has_remaining() {
            match socket.write(self.outgoing.chunk()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(length) => self.outgoing.advance(length),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}
