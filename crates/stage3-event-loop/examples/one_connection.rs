//! Second step: sleep until the socket is ready, with one socket and one state.
//!
//! `cargo run -p stage3-event-loop --example one_connection`
//!
//! All of an event loop is here but that it has several to look after: no slab
//! and no token that means anything, no timers, no names, no budget. The thread
//! sleeps in `poll`; each time it wakes, the state does what can be done and
//! says whether that was all.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Outgoing, Request, Response, ResponseHead};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use origin::{Config, Origin};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let request = Request::get(&origin.url("/users/42/orders"))?;
    let (response, wakings) = fetch(&request)?;
    let body = String::from_utf8_lossy(response.body());
    println!("{}: {} {body}", request.url(), response.status());
    println!("woken by poll:  {wakings} times");
    Ok(())
}

/// Fetches `request`, whose host has to be an address. Says too how often the
/// thread was woken for it.
pub(crate) fn fetch(request: &Request) -> Result<(Response, u32), Box<dyn Error>> {
    let address = request.literal_address();
    let address = address.ok_or("the host of the URL has to be an address")?;
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(8);
    let mut state = State {
        stream: TcpStream::connect(address)?,
        outgoing: request.encode(),
        buffer: BytesMut::new(),
        phase: Phase::Connecting,
    };
    // With one source, any token does.
    let interest = Interest::READABLE | Interest::WRITABLE;
    poll.registry()
        .register(&mut state.stream, Token(0), interest)?;

    let mut wakings = 0;
    loop {
        // Here the thread stops, and uses no processor until there is an event.
        match poll.poll(&mut events, Some(Duration::from_secs(10))) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        }
        if events.is_empty() {
            return Err("nothing has happened for ten seconds".into());
        }
        wakings += 1;
        // Which event it is does not matter: the state tries what it wants.
        if let Some(response) = state.on_event(request)? {
            poll.registry().deregister(&mut state.stream)?;
            return Ok((response, wakings));
        }
    }
}

/// What has to outlive the return to the loop.
struct State {
    stream: TcpStream,
    outgoing: Outgoing,
    buffer: BytesMut,
    phase: Phase,
}

/// The place where it stopped.
enum Phase {
    Connecting,
    Sending,
    ReadingHead(HeadParser),
    ReadingBody(ResponseHead, BodyDecoder),
    Done,
}

impl State {
    /// Goes on from where it stopped, until nothing more can be done now.
    fn on_event(&mut self, request: &Request) -> Result<Option<Response>, Box<dyn Error>> {
        loop {
            // Taken out and put back: each arm says what comes next.
            self.phase = match std::mem::replace(&mut self.phase, Phase::Done) {
                Phase::Connecting => {
                    if let Some(error) = self.stream.take_error()? {
                        return Err(error.into());
                    }
                    match self.stream.peer_addr() {
                        Ok(_) => Phase::Sending,
                        Err(error) if error.kind() == ErrorKind::NotConnected => {
                            return self.stop_in(Phase::Connecting);
                        }
                        Err(error) => return Err(error.into()),
                    }
                }
                Phase::Sending if !self.outgoing.has_remaining() => {
                    Phase::ReadingHead(HeadParser::new())
                }
                Phase::Sending => match self.stream.write(self.outgoing.chunk()) {
                    Ok(length) => {
                        self.outgoing.advance(length);
                        Phase::Sending
                    }
                    Err(error) if is_not_now(&error) => return self.stop_in(Phase::Sending),
                    Err(error) if error.kind() == ErrorKind::Interrupted => Phase::Sending,
                    Err(error) => return Err(error.into()),
                },
                Phase::ReadingHead(mut parser) => match parser.parse(&mut self.buffer)? {
                    Some(head) => {
                        let body = BodyDecoder::new(request.method(), &head, 1 << 20)?;
                        Phase::ReadingBody(head, body)
                    }
                    None => match self.read()? {
                        Some(0) => return Err(FetchError::closed_before_head().into()),
                        Some(_) => Phase::ReadingHead(parser),
                        None => return self.stop_in(Phase::ReadingHead(parser)),
                    },
                },
                Phase::ReadingBody(head, mut body) => {
                    if body.decode(&mut self.buffer)? {
                        return Ok(Some(head.into_response(body)));
                    }
                    match self.read()? {
                        Some(0) => {
                            body.end_of_input()?;
                            return Ok(Some(head.into_response(body)));
                        }
                        Some(_) => Phase::ReadingBody(head, body),
                        None => return self.stop_in(Phase::ReadingBody(head, body)),
                    }
                }
                Phase::Done => return Err("an event after the end".into()),
            };
        }
    }

    /// Back to the loop; and next time, from here.
    fn stop_in<T, E>(&mut self, phase: Phase) -> Result<Option<T>, E> {
        self.phase = phase;
        Ok(None)
    }

    /// Reads some bytes into the buffer; `None` if there are none now.
    fn read(&mut self) -> io::Result<Option<usize>> {
        let mut chunk = [0; 4096];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(length) => {
                    self.buffer.extend_from_slice(&chunk[..length]);
                    return Ok(Some(length));
                }
                Err(error) if is_not_now(&error) => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

fn is_not_now(error: &io::Error) -> bool {
    error.kind() == ErrorKind::WouldBlock
}
