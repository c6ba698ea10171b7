//! One fetch's connection. Both ways of writing the fetch use it: its
//! functions come as `poll_…`, for the one by hand, and as futures to await.

use std::future::{Future, poll_fn};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use fetch_core::{FetchError, Options, Outgoing, Request};

use crate::clock::Clock;
use crate::reactor::Reactor;
use crate::resolve::Resolving;
use crate::tcp::TcpStream;
use crate::timeout::Timeout;

/// A connection, and what of the request is not sent yet.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    outgoing: Outgoing,
    /// Why sending ended early, if it did.
    broken: Option<io::Error>,
}

impl Connection {
    /// Resolves the host and connects to the first of its addresses that
    /// answers.
    ///
    /// # Errors
    ///
    /// `dns-failure`, `connect-refused`, `disconnected`, `timeout`,
    /// `resources`, `io`.
    pub async fn open(
        id: usize,
        request: &Request,
        options: &Options,
        clock: &Clock,
        reactor: &Rc<Reactor>,
    ) -> Result<Self, FetchError> {
        let addresses = Resolving::new(id, request, &options.resolver).await?;
        let stream = connect(id, request, &addresses, clock, reactor).await?;
        Ok(Connection::new(stream, request))
    }

    /// The same, once there is a stream.
    pub(crate) fn new(stream: TcpStream, request: &Request) -> Self {
        // A request with a body leaves in two writes, and the second is not to
        // wait until the first has been acknowledged.
        if !request.body().is_empty() {
            let _ = stream.set_nodelay();
        }
        Connection {
            stream,
            outgoing: request.encode(),
            broken: None,
        }
    }

    /// Sends the request, or as much of it as the server wants: it may answer
    /// before it has read everything, and then [`read`](Self::read) goes on
    /// sending while it reads.
    ///
    /// A broken connection is no error here: an answer may have come before it
    /// broke, so the next read decides.
    pub fn send_request(&mut self) -> impl Future<Output = ()> {
        poll_fn(|cx| self.poll_send_request(cx))
    }

    /// Reads some bytes to the end of `buffer`; 0 is the end of input.
    ///
    /// # Errors
    ///
    /// What `kind` makes of the system's error.
    pub fn read(
        &mut self,
        buffer: &mut BytesMut,
        kind: fn(&io::Error) -> FetchError,
    ) -> impl Future<Output = Result<usize, FetchError>> {
        poll_fn(move |cx| self.poll_read(cx, buffer, kind))
    }

    /// [`send_request`](Self::send_request) as a function.
    pub(crate) fn poll_send_request(&mut self, cx: &Context<'_>) -> Poll<()> {
        while self.outgoing.has_remaining() {
            if self.poll_write_some(cx).is_pending() {
                // One wait for two directions: whichever comes first.
                if let Err(error) = ready!(self.stream.poll_readable(cx)) {
                    self.give_up_sending(error);
                }
                return Poll::Ready(());
            }
        }
        self.stop_sending();
        self.stream.expect_answer();
        Poll::Ready(())
    }

    /// [`read`](Self::read) as a function.
    pub(crate) fn poll_read(
        &mut self,
        cx: &Context<'_>,
        buffer: &mut BytesMut,
        kind: fn(&io::Error) -> FetchError,
    ) -> Poll<Result<usize, FetchError>> {
        // On the stack, since it need not outlive a wait: while this fetch
        // waits, it holds no buffer but what it has received.
        let mut chunk = [0; 16 * 1024];
        let wrote = self.poll_write_some(cx);
        match self.stream.poll_read(cx, &mut chunk) {
            Poll::Ready(Ok(0)) => Poll::Ready(self.end_of_input(kind)),
            Poll::Ready(Ok(length)) => {
                buffer.extend_from_slice(&chunk[..length]);
                Poll::Ready(Ok(length))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(kind(&error))),
            Poll::Pending => {
                if wrote.is_ready() {
                    // There may be room for more, but the others first: with a
                    // loop here, a peer that always has some would keep us.
                    cx.waker().wake_by_ref();
                }
                Poll::Pending
            }
        }
    }

    /// One write. `Pending` if there is no room for it, or nothing to send.
    fn poll_write_some(&mut self, cx: &Context<'_>) -> Poll<()> {
        if !self.outgoing.has_remaining() {
            return Poll::Pending;
        }
        self.stream
            .poll_write(cx, self.outgoing.chunk())
            .map(|written| match written {
                Ok(length) => self.outgoing.advance(length),
                Err(error) => self.give_up_sending(error),
            })
    }

    /// The server reads no more. What it said before it stopped is in our
    /// receive buffer, and is the result.
    fn give_up_sending(&mut self, error: io::Error) {
        self.stop_sending();
        // Later errors only repeat that the connection is gone.
        self.broken.get_or_insert(error);
    }

    /// There is nothing to send any more. The request's bytes go now, and not
    /// with the connection: the wait for the answer is the long one.
    fn stop_sending(&mut self) {
        self.outgoing = Bytes::new().chain(Bytes::new());
    }

    /// The system reports a reset once. If sending got to hear of it, reading
    /// shows a clean end, and a body that runs to the close would look whole.
    fn end_of_input(&self, kind: fn(&io::Error) -> FetchError) -> Result<usize, FetchError> {
        match &self.broken {
            Some(error) if error.kind() == ErrorKind::ConnectionReset => Err(kind(error)),
            _ => Ok(0),
        }
    }
}

/// Tries the addresses in turn, each with its share of the time.
async fn connect(
    id: usize,
    request: &Request,
    addresses: &[SocketAddr],
    clock: &Clock,
    reactor: &Rc<Reactor>,
) -> Result<TcpStream, FetchError> {
    let mut last_error = None;
    for (tried, address) in addresses.iter().enumerate() {
        let share = clock.share(addresses.len() - tried);
        let connecting = TcpStream::connect(reactor, id, *address);
        match Timeout::at(reactor, id, share, connecting).await {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => last_error = Some(error),
            None => last_error = Some(ErrorKind::TimedOut.into()),
        }
    }
    Err(clock.no_connection(request, last_error))
}
