//! The loop. Given: there is nothing to change here.

use std::error::Error;
use std::io::{self, ErrorKind, Write};

use bytes::{Buf, BytesMut};
use fetch_core::{Outgoing, Request, Response};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};

use crate::reply::Reply;
use crate::{Input, on_readable};

/// Fetches `url`, whose host is an IP address. Says too how often the loop was
/// woken for it.
///
/// # Errors
///
/// A bad URL, a connection that fails, a response that is wrong.
pub fn fetch(url: &str) -> Result<(Response, u32), Box<dyn Error>> {
    let request = Request::get(url)?;
    let address = request.literal_address();
    let address = address.ok_or("the host of the URL has to be an address")?;

    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(8);
    let mut socket = TcpStream::connect(address)?;
    let interest = Interest::READABLE | Interest::WRITABLE;
    poll.registry().register(&mut socket, Token(0), interest)?;

    let mut outgoing = request.encode();
    let mut buffer = BytesMut::new();
    let mut reply = Reply::to(&request);
    let mut wakings = 0;
    loop {
        // Here the thread sleeps. mio's events are edge-triggered: each reports
        // a change, such as bytes that have just come, and is reported once.
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        }
        wakings += 1;
        send(&mut socket, &mut outgoing)?;
        if outgoing.has_remaining() {
            continue;
        }
        let input = on_readable(&mut socket, &mut buffer)?;
        if let Some(response) = reply.take(&mut buffer)? {
            return Ok((response, wakings));
        }
        if input == Input::Ended {
            return Ok((reply.end_of_input()?, wakings));
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
