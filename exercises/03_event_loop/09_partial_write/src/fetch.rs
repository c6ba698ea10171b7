//! The loop. Given: there is nothing to change here.

use std::error::Error;
use std::io::{self, ErrorKind, Read};

use bytes::BytesMut;
use fetch_core::{Request, Response};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::Sending;
use crate::reply::Reply;

/// Fetches `request`, whose host is an IP address. Says too in how many parts
/// the request went out.
///
/// # Errors
///
/// A connection that fails, a response that is wrong.
pub fn fetch(request: Request) -> Result<(Response, u32), Box<dyn Error>> {
    let address = request.literal_address();
    let address = address.ok_or("the host of the URL has to be an address")?;

    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(8);
    let mut socket = TcpStream::connect(address)?;
    let interest = Interest::READABLE | Interest::WRITABLE;
    poll.registry().register(&mut socket, Token(0), interest)?;

    let mut buffer = BytesMut::new();
    let mut reply = Reply::to(&request);
    let mut sending = Sending::new(request);
    let (mut all_sent, mut parts) = (false, 0);
    loop {
        // Here the thread sleeps until the system reports an event.
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        }
        // Before the connection stands, there is nothing to write to.
        if let Err(error) = socket.peer_addr()
            && error.kind() == ErrorKind::NotConnected
        {
            // If it has failed, this says why.
            socket.take_error()?.map_or(Ok(()), Err)?;
            continue;
        }
        if !all_sent {
            all_sent = sending.on_writable(&mut socket)?;
            parts += 1;
        }
        // An answer may come before all is sent.
        let open = read_all(&mut socket, &mut buffer)?;
        if let Some(response) = reply.take(&mut buffer)? {
            return Ok((response, parts));
        }
        if !open {
            return Ok((reply.end_of_input()?, parts));
        }
    }
}

/// Reads until `WouldBlock`; exercise 8 is about it. `Ok(false)` is the end of
/// input.
fn read_all(socket: &mut TcpStream, buffer: &mut BytesMut) -> io::Result<bool> {
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
