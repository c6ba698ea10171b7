//! A connection that is read and written at the same time.
//!
//! Nothing here knows of a deadline or of cancelling, but for the shares of
//! several addresses: both are done from outside, by dropping the future.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Instant;

use bytes::{Buf, BytesMut};
use fetch_core::wait::{By, On};
use fetch_core::{FetchError, Options, Outgoing, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::select;
use tokio::time::timeout;

use crate::resolve::resolve;
use crate::trace::{self, traced};

/// Room that is made for one read.
const READ: usize = 16 * 1024;

/// One fetch's connection, and what of its request is not sent yet.
#[derive(Debug)]
pub struct Connection {
    id: usize,
    stream: TcpStream,
    outgoing: Outgoing,
    /// Why sending ended early, if it did.
    broken: Option<io::Error>,
}

impl Connection {
    /// Resolves the host and connects to the first of its addresses that
    /// answers. `end` is when the whole fetch must be over.
    ///
    /// # Errors
    ///
    /// `dns-failure`, `connect-refused`, `disconnected`, `timeout`,
    /// `resources`, `io`.
    pub async fn open(
        id: usize,
        request: &Request,
        options: &Options,
        end: Instant,
    ) -> Result<Self, FetchError> {
        let addresses = resolve(id, request, options).await?;
        let stream = connect(id, request, options, &addresses, end).await?;
        // A request with a body leaves in two writes, and the second is not to
        // wait until the first has been acknowledged.
        if !request.body().is_empty() {
            let _ = stream.set_nodelay(true);
        }
        let outgoing = request.encode();
        Ok(Connection {
            id,
            stream,
            outgoing,
            broken: None,
        })
    }

    /// Sends the request, or as much of it as the server wants: it may answer
    /// before it has read everything, and then [`read`](Self::read) goes on
    /// sending while it reads.
    ///
    /// A broken connection is no error here: an answer may have come before it
    /// broke, so the next read decides.
    pub async fn send_request(&mut self) {
        let (reader, mut writer) = self.stream.split();
        while self.outgoing.has_remaining() {
            let (outgoing, broken) = (&mut self.outgoing, &mut self.broken);
            let answered_or_written = pin!(async {
                select! {
                    biased;
                    _ = reader.readable() => true,
                    () = write_some(&mut writer, outgoing, broken) => false,
                }
            });
            if traced(self.id, On::Writable, By::Reactor, answered_or_written).await {
                break;
            }
        }
    }

    /// Reads some bytes to the end of `buffer`; `Ok(0)` is the end of input.
    ///
    /// # Errors
    ///
    /// What `kind` makes of the system's error.
    pub async fn read(
        &mut self,
        buffer: &mut BytesMut,
        kind: fn(&io::Error) -> FetchError,
    ) -> Result<usize, FetchError> {
        match self.read_some(buffer).await {
            Ok(0) => self.end_of_input(kind),
            Ok(length) => Ok(length),
            Err(error) => Err(kind(&error)),
        }
    }

    async fn read_some(&mut self, buffer: &mut BytesMut) -> io::Result<usize> {
        let (mut reader, mut writer) = self.stream.split();
        let (outgoing, broken) = (&mut self.outgoing, &mut self.broken);
        let read = pin!(async {
            // Both directions are open, and this future waits for both. The
            // branch that loses is dropped and made anew in the next turn, so
            // it must be one that loses nothing by that: `read_buf` and
            // `write_buf` move bytes and return in the same poll.
            loop {
                select! {
                    biased;
                    read = read_when_ready(&mut reader, buffer) => return read,
                    () = write_some(&mut writer, outgoing, broken),
                        if outgoing.has_remaining() => {}
                }
            }
        });
        traced(self.id, On::Readable, By::Reactor, read).await
    }

    /// The system reports a reset once. If a write got to hear of it, reading
    /// shows a clean end, and a body that runs to the close would look whole.
    fn end_of_input(&self, kind: fn(&io::Error) -> FetchError) -> Result<usize, FetchError> {
        match &self.broken {
            Some(error) if error.kind() == io::ErrorKind::ConnectionReset => Err(kind(error)),
            _ => Ok(0),
        }
    }
}

/// One read. Room for it is made once there is something to read: of ten thousand
/// fetches that wait, none holds an empty buffer.
async fn read_when_ready(reader: &mut ReadHalf<'_>, buffer: &mut BytesMut) -> io::Result<usize> {
    reader.readable().await?;
    buffer.reserve(READ);
    reader.read_buf(buffer).await
}

/// One write. After an error there is nothing more to send: the server reads no
/// more, but what it said before it stopped is in our receive buffer, and is
/// the result.
async fn write_some(
    writer: &mut WriteHalf<'_>,
    outgoing: &mut Outgoing,
    broken: &mut Option<io::Error>,
) {
    if let Err(error) = writer.write_buf(outgoing).await {
        outgoing.advance(outgoing.remaining());
        *broken = Some(error);
    }
}

/// Tries the addresses in turn, each with an equal share of the time that is
/// left, so that one which never answers leaves time for the next.
async fn connect(
    id: usize,
    request: &Request,
    options: &Options,
    addresses: &[SocketAddr],
    end: Instant,
) -> Result<TcpStream, FetchError> {
    let mut last_error = FetchError::resolving(&request.host(), &io::ErrorKind::NotFound.into());
    for (tried, address) in addresses.iter().enumerate() {
        let untried = u32::try_from(addresses.len() - tried).unwrap_or(u32::MAX);
        let share = end.saturating_duration_since(Instant::now()) / untried;
        let connecting = pin!(TcpStream::connect(*address));
        let connecting = traced(id, On::Connect, By::Reactor, connecting);
        last_error = match timeout(share, connecting).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => FetchError::connecting(&request.authority(), &error),
            Err(_elapsed) => {
                trace::out_of_time(id);
                FetchError::Timeout {
                    deadline: options.deadline,
                }
            }
        };
    }
    Err(last_error)
}
