//! The loop. Given: there is nothing to change here.

use std::io::{self, ErrorKind, Read, Write};

use bytes::{Buf, BytesMut};
use fetch_core::{FetchError, Outgoing, Request, Response};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::Phase;

/// Fetches `url`, whose host is an IP address.
///
/// # Errors
///
/// A bad URL, a connection that fails, a response that is wrong or not whole.
pub fn fetch(url: &str) -> Result<Response, FetchError> {
    let request = Request::get(url)?;
    let connecting = |error| FetchError::connecting(&request.authority(), &error);
    let polling = |error| FetchError::from_system("waiting for events", &error);
    let address = request.literal_address();
    let address = address.ok_or_else(|| connecting(ErrorKind::InvalidInput.into()))?;

    let mut poll = Poll::new().map_err(polling)?;
    let mut events = Events::with_capacity(8);
    let mut socket = TcpStream::connect(address).map_err(connecting)?;
    let interest = Interest::READABLE | Interest::WRITABLE;
    let registered = poll.registry().register(&mut socket, Token(0), interest);
    registered.map_err(polling)?;

    let mut outgoing = request.encode();
    let mut buffer = BytesMut::new();
    let mut phase = Phase::new();
    loop {
        // Here the thread sleeps until the system reports an event.
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result.map_err(polling)?,
        }
        send(&mut socket, &mut outgoing).map_err(|error| FetchError::sending(&error))?;
        if outgoing.has_remaining() {
            continue;
        }
        let input = read(&mut socket, &mut buffer);
        // Bytes have come, perhaps: the first kind of input.
        phase = phase.on_bytes(&request, &mut buffer)?;
        if let Phase::Done(response) = phase {
            return Ok(response);
        }
        match input {
            Ok(true) => {}
            // Nothing more will come: the second kind.
            Ok(false) => return phase.on_end_of_input(),
            Err(error) => return Err(phase.on_error(&error)),
        }
    }
}

/// Sends what the system takes. Before the connection stands, that is nothing.
fn send(socket: &mut TcpStream, outgoing: &mut Outgoing) -> io::Result<()> {
    while outgoing.has_remaining() {
        match socket.write(outgoing.chunk()) {
            Ok(length) => outgoing.advance(length),
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
fn read(socket: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<bool> {
    let mut chunk = [0; 8 * 1024];
    loop {
        match socket.read(&mut chunk) {
            Ok(0) => return Ok(false),
            Ok(length) => buffer.extend_from_slice(&chunk[..length]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
