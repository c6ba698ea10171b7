//! A socket that is never waited for: each call does what can be done now.

use std::io::{self, ErrorKind, Read, Write};
use std::net::SocketAddr;

use bytes::{Buf, BytesMut};
use fetch_core::{FetchError, Outgoing};
use mio::event::Event;
use mio::net::TcpStream;
use mio::{Interest, Registry};

use crate::turn::Turn;

/// One fetch's connection, what of its request is not sent yet, and what is
/// known of the socket's readiness.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// `None` once the system has all of it.
    outgoing: Option<Outgoing>,
    /// Whether to try. mio is *edge-triggered*: it reports readiness once, when
    /// it begins, and says nothing while it lasts; so it is remembered here,
    /// from the event until the system says `WouldBlock` (mio#1076).
    ///
    /// Events are noted by the thread that makes the calls, and never during
    /// one, so a `WouldBlock` cannot clear what an event has just set. tokio,
    /// where they come on another thread, counts its turns to tell.
    readable: bool,
    writable: bool,
    /// Why no more can be sent. Not yet the outcome: an answer may have come
    /// before it broke.
    broken: Option<io::Error>,
}

impl Connection {
    /// Begins to connect, and has the reactor watch the socket.
    ///
    /// # Errors
    ///
    /// The system's, such as having no descriptor left, or an address that
    /// refuses at once.
    pub fn open(address: SocketAddr, outgoing: Outgoing, turn: &Turn<'_>) -> io::Result<Self> {
        // Connect first and register then: a socket that is not even connecting
        // is reported as hung up at once (Linux, `tcp_poll`).
        let mut stream = TcpStream::connect(address)?;
        // Both directions, once and for the whole fetch. An event that nobody
        // needs costs less than changing the registration each time.
        let interest = Interest::READABLE | Interest::WRITABLE;
        turn.registry.register(&mut stream, turn.token, interest)?;
        Ok(Connection {
            stream,
            outgoing: Some(outgoing),
            readable: false,
            writable: false,
            broken: None,
        })
    }

    /// Remembers what the reactor reports.
    ///
    /// An event is a hint and decides nothing: the system call does (mio's
    /// `Poll`, "Spurious events"). "Closed" and "error" therefore only mean
    /// that trying will show something: bytes may lie before the end, and only
    /// a read of none is the end (mio#933).
    pub fn note(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        self.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
    }

    /// Whether the connection stands. `Ok(false)`: not yet.
    ///
    /// # Errors
    ///
    /// Why it failed.
    pub fn is_connected(&mut self) -> io::Result<bool> {
        if !self.writable {
            return Ok(false);
        }
        // Once: asking takes the error away, and a second look would find none.
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        // Writable, and no error: that may still be a spurious event. Only a
        // connected socket knows its peer (mio's `TcpStream::connect`,
        // tokio#3879).
        match self.stream.peer_addr() {
            Ok(_) => {
                self.do_not_hold_back_the_body();
                Ok(true)
            }
            Err(error) if error.kind() == ErrorKind::NotConnected => {
                self.writable = false;
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// A request with a body leaves in two writes, and the second is not to wait
    /// until the first has been acknowledged. If this fails, it waits.
    fn do_not_hold_back_the_body(&self) {
        let body = self.outgoing.as_ref().map(Outgoing::last_ref);
        if body.is_some_and(Buf::has_remaining) {
            let _ = self.stream.set_nodelay(true);
        }
    }

    /// Whether some of the request is still to be sent.
    pub fn is_sending(&self) -> bool {
        self.outgoing.is_some()
    }

    /// Whether a write is wanted, and worth a try.
    pub fn can_send(&self) -> bool {
        self.writable && self.is_sending()
    }

    /// Whether a read is worth a try.
    pub fn can_read(&self) -> bool {
        self.readable
    }

    /// Sends what the system takes of the request: until it is all sent, until
    /// the system takes no more, or until this turn's writes are used up.
    ///
    /// A broken connection is no error here: an answer may have come before it
    /// broke, so the next [`read`](Self::read) decides.
    pub fn send_request(&mut self, turn: &mut Turn<'_>) {
        while self.writable && turn.spend_write() {
            let Some(outgoing) = &mut self.outgoing else {
                return;
            };
            match self.stream.write(outgoing.chunk()) {
                Ok(0) => self.give_up_sending(ErrorKind::WriteZero.into()),
                // A short write does not mean that the next would block: on
                // some systems only `WouldBlock` does, and no event comes
                // before it (mio's `Poll`, "Draining readiness").
                Ok(length) => {
                    outgoing.advance(length);
                    if !outgoing.has_remaining() {
                        self.outgoing = None;
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => self.give_up_sending(error),
            }
        }
    }

    /// Whether there is something to read, the end of input included: were it
    /// left out, a peer that half-closes while we send would leave a socket that
    /// stays readable and that nobody reads, and the loop would not sleep again
    /// (hyper#4086).
    pub fn answer_has_begun(&mut self) -> bool {
        if !self.readable {
            return false;
        }
        match self.stream.peek(&mut [0]) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::Interrupted => false,
            Err(error) => {
                self.readable = error.kind() != ErrorKind::WouldBlock;
                self.readable
            }
        }
    }

    /// Reads some bytes to the end of `buffer`; `Ok(Some(0))` is the end of
    /// input, and nothing else is. `Ok(None)`: not now.
    ///
    /// # Errors
    ///
    /// What `kind` makes of the system's error.
    pub fn read(
        &mut self,
        buffer: &mut BytesMut,
        turn: &mut Turn<'_>,
        kind: fn(&io::Error) -> FetchError,
    ) -> Result<Option<usize>, FetchError> {
        while self.readable && turn.spend_read() {
            match self.stream.read(turn.chunk) {
                Ok(0) => return self.end_of_input(kind),
                Ok(length) => {
                    buffer.extend_from_slice(&turn.chunk[..length]);
                    return Ok(Some(length));
                }
                // Only this direction: the other may well be ready (tokio#672).
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.readable = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(kind(&error)),
            }
        }
        match &self.broken {
            // All that came before it broke has been read.
            Some(error) if !self.readable => Err(kind(error)),
            _ => Ok(None),
        }
    }

    /// Ends it: deregistered, then closed. In this order, since the number of
    /// a closed descriptor is used again at once, perhaps by a socket of
    /// another loop.
    pub fn close(mut self, registry: &Registry) {
        // It fails only for what is not registered.
        let _ = registry.deregister(&mut self.stream);
    }

    /// A reset is reported once. If a write got to hear of it, reading shows a
    /// clean end; and for a body that runs to the close, that would be success.
    fn end_of_input(
        &self,
        kind: fn(&io::Error) -> FetchError,
    ) -> Result<Option<usize>, FetchError> {
        match &self.broken {
            Some(error) if error.kind() == ErrorKind::ConnectionReset => Err(kind(error)),
            _ => Ok(Some(0)),
        }
    }

    fn give_up_sending(&mut self, error: io::Error) {
        self.outgoing = None;
        self.broken = Some(error);
        // Worth a look, whether or not there was an event.
        self.readable = true;
    }
}
