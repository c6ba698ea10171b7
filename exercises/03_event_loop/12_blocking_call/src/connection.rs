//! One fetch's connection. Given: there is nothing to change here.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;

use bytes::{Buf, BytesMut};
use fetch_core::{FetchError, Outgoing, Request, Response};
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};

use crate::reply::Reply;

/// A fetch that has begun to connect.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: TcpStream,
    outgoing: Outgoing,
    buffer: BytesMut,
    reply: Reply,
}

impl Connection {
    /// Begins to connect.
    pub(crate) fn open(
        request: &Request,
        address: SocketAddr,
        token: Token,
        registry: &Registry,
    ) -> io::Result<Self> {
        let mut socket = TcpStream::connect(address)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        registry.register(&mut socket, token, interest)?;
        Ok(Connection {
            socket,
            outgoing: request.encode(),
            buffer: BytesMut::new(),
            reply: Reply::to(request),
        })
    }

    /// Does what can be done without waiting. `Ok(None)`: it is not complete.
    pub(crate) fn on_event(&mut self) -> Result<Option<Response>, FetchError> {
        self.send().map_err(|error| FetchError::sending(&error))?;
        if self.outgoing.has_remaining() {
            return Ok(None);
        }
        let open = self
            .read()
            .map_err(|error| FetchError::reading_head(&error))?;
        match self.reply.take(&mut self.buffer)? {
            None if !open => self.reply.end_of_input().map(Some),
            response => Ok(response),
        }
    }

    /// Sends what the system takes. Before the connection stands, that is
    /// nothing.
    fn send(&mut self) -> io::Result<()> {
        while self.outgoing.has_remaining() {
            match self.socket.write(self.outgoing.chunk()) {
                Ok(length) => self.outgoing.advance(length),
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock | ErrorKind::NotConnected => return Ok(()),
                    ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(())
    }

    /// Reads until `WouldBlock`. `Ok(false)` is the end of input.
    fn read(&mut self) -> io::Result<bool> {
        let mut chunk = [0; 8 * 1024];
        loop {
            match self.socket.read(&mut chunk) {
                Ok(0) => return Ok(false),
                Ok(length) => self.buffer.extend_from_slice(&chunk[..length]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
