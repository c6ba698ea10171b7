//! A connection whose blocking calls keep a deadline and can be ended.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, Options, Outgoing, Request};

use crate::clock::Clock;
use crate::group::{Group, Registration};
use crate::resolve::resolve;

/// How long a write may make no progress before we look for an answer.
const STALL: Duration = Duration::from_millis(20);

/// How long that look may take. `Some(0)` is refused by `set_read_timeout`, and
/// the kernel rounds up to its own clock tick anyway.
const GLANCE: Duration = Duration::from_millis(1);

/// How much the first read can bring, and how much any. A fetch that waits
/// holds its room for reading all the while, and most answers are small. (On
/// the stack it would be no better: a thread keeps each page of it that it has
/// touched once.)
const FIRST_READ: usize = 1024;
const LARGEST_READ: usize = 64 * 1024;

/// One fetch's connection, and what of its request is not sent yet.
#[derive(Debug)]
pub struct Connection<'a> {
    id: usize,
    stream: Arc<TcpStream>,
    outgoing: Outgoing,
    /// Why sending ended early, if it did.
    broken: Option<io::Error>,
    /// How much the next read can bring: twice as much whenever it was filled.
    room: usize,
    clock: Clock,
    group: &'a Group,
    /// While this lives, the group can shut the stream down.
    _registration: Registration<'a>,
}

impl<'a> Connection<'a> {
    /// Resolves the host and connects to the first of its addresses that
    /// answers. Blocks.
    ///
    /// # Errors
    ///
    /// `dns-failure`, `connect-refused`, `timeout`, `cancelled`, `resources`,
    /// `io`.
    pub fn open(
        id: usize,
        request: &Request,
        options: &Options,
        group: &'a Group,
    ) -> Result<Self, FetchError> {
        let clock = Clock::start(options);
        let addresses = resolve(id, request, options, clock, group)?;
        let stream = Arc::new(connect(id, request, &addresses, clock, group)?);
        // A request with a body leaves in two writes, and the second is not to
        // wait until the first has been acknowledged.
        if !request.body().is_empty() {
            let _ = stream.set_nodelay(true);
        }
        let registration = group.register_stream(id, &stream)?;
        let outgoing = request.encode();
        Ok(Connection {
            id,
            stream,
            outgoing,
            broken: None,
            room: FIRST_READ,
            clock,
            group,
            _registration: registration,
        })
    }

    /// Sends the request, or as much of it as the server wants: it may answer
    /// before it has read everything, and then [`read`](Self::read) goes on
    /// sending while it reads. Blocks.
    ///
    /// # Errors
    ///
    /// `timeout`, `cancelled`, `io`. A broken connection is none: an answer may
    /// have come before it broke, so the next read decides.
    pub fn send_request(&mut self) -> Result<(), FetchError> {
        while self.outgoing.has_remaining() {
            if !self.write_some()? && self.answer_has_begun() {
                break;
            }
        }
        Ok(())
    }

    /// Reads some bytes to the end of `buffer`; `Ok(0)` is the end of input.
    /// Blocks.
    ///
    /// # Errors
    ///
    /// `timeout`, `cancelled`, and what `kind` makes of the system's error.
    pub fn read(
        &mut self,
        buffer: &mut BytesMut,
        kind: fn(&io::Error) -> FetchError,
    ) -> Result<usize, FetchError> {
        loop {
            let sending = self.outgoing.has_remaining();
            let patience = match self.clock.remaining()? {
                // Both directions are open and only one of them can be waited
                // for, so this thread looks at each in turn. A thread that
                // cannot wait for two things at once is what stage 3 mends.
                _ if sending => GLANCE,
                remaining => remaining,
            };
            let before = buffer.len();
            buffer.resize(before + self.room, 0);
            let read = self.wait(On::Readable, |mut stream| {
                stream.set_read_timeout(Some(patience))?;
                stream.read(&mut buffer[before..])
            });
            buffer.truncate(before + read.as_ref().unwrap_or(&0));
            match self.judge(read)? {
                Ok(0) => return self.end_of_input(kind),
                Ok(length) => {
                    if length == self.room {
                        self.room = LARGEST_READ.min(2 * self.room);
                    }
                    return Ok(length);
                }
                Err(error) if is_timeout(&error) && sending => {
                    self.write_some()?;
                }
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(kind(&error)),
            }
        }
    }

    /// The system reports a reset once. If a write got to hear of it, reading
    /// shows a clean end, and a body that runs to the close would look whole.
    fn end_of_input(&self, kind: fn(&io::Error) -> FetchError) -> Result<usize, FetchError> {
        match &self.broken {
            Some(error) if error.kind() == ErrorKind::ConnectionReset => Err(kind(error)),
            _ => Ok(0),
        }
    }

    /// One write. Says whether it made progress; a broken connection counts as
    /// progress, since there is nothing more to send.
    fn write_some(&mut self) -> Result<bool, FetchError> {
        let patience = self.clock.remaining()?.min(STALL);
        let outgoing = self.outgoing.chunk();
        let written = self.wait(On::Writable, |mut stream| {
            stream.set_write_timeout(Some(patience))?;
            stream.write(outgoing)
        });
        match self.judge(written)? {
            Ok(length) => {
                self.outgoing.advance(length);
                Ok(true)
            }
            Err(error) if is_timeout(&error) => Ok(false),
            // The server reads no more. What it said before it stopped is in
            // our receive buffer, and is the result.
            Err(error) => {
                self.outgoing.advance(self.outgoing.remaining());
                self.broken = Some(error);
                Ok(true)
            }
        }
    }

    /// Whether there is something to read, the end of input included.
    fn answer_has_begun(&self) -> bool {
        let glance = |stream: &TcpStream| {
            stream.set_read_timeout(Some(GLANCE))?;
            stream.peek(&mut [0])
        };
        match glance(&self.stream) {
            Ok(_) => true,
            Err(error) => !is_timeout(&error),
        }
    }

    /// Makes a call that may block: here the thread stops.
    fn wait(
        &self,
        on: On,
        call: impl FnOnce(&TcpStream) -> io::Result<usize>,
    ) -> io::Result<usize> {
        wait::waiting(self.id, on);
        let result = call(&self.stream);
        wait::woken(self.id, By::Kernel);
        wait::resumed(self.id);
        result
    }

    /// Being cancelled looks like other things: a stream that was shut down
    /// reads as ended, which for some bodies is success. So the group has the
    /// first word wherever the outcome could be of its making.
    fn judge(&self, outcome: io::Result<usize>) -> Result<io::Result<usize>, FetchError> {
        if !matches!(outcome, Ok(1..)) {
            self.group.check()?;
        }
        Ok(outcome)
    }
}

/// Tries the addresses in turn, each with an equal share of the time that is
/// left, so that one which never answers leaves time for the next.
fn connect(
    id: usize,
    request: &Request,
    addresses: &[SocketAddr],
    clock: Clock,
    group: &Group,
) -> Result<TcpStream, FetchError> {
    let mut last_error = FetchError::resolving(&request.host(), &ErrorKind::NotFound.into());
    for (tried, address) in addresses.iter().enumerate() {
        let untried = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let share = clock.remaining()? / untried;
        wait::waiting(id, On::Connect);
        // This call gives no handle before it returns: a cancellation is
        // noticed only then.
        let connected = TcpStream::connect_timeout(address, share.max(GLANCE));
        wait::woken(id, By::Kernel);
        wait::resumed(id);
        group.check()?;
        last_error = match connected {
            Ok(stream) => return Ok(stream),
            Err(error) => FetchError::connecting(&request.authority(), &error),
        };
    }
    // The last address had all the time that was left: silent to the end, it
    // is the fetch that has timed out.
    clock.remaining()?;
    Err(last_error)
}

/// A blocking call ran out of its own time (`WouldBlock` on Unix, `TimedOut` on
/// Windows), or was interrupted by a signal. Whether the fetch has time left is
/// the clock's to say.
fn is_timeout(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted
    )
}
