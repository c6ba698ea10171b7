//! TCP as futures: where `WouldBlock` becomes `Pending`.
//!
//! These are the leaves. All other futures here are made of futures, and only
//! these talk to the reactor.

use std::cell::Cell;
use std::future::Future;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use fetch_core::wait::On;
use socket2::{Domain, Socket, Type};

use crate::reactor::{Direction, Reactor, Source};

/// How many calls in a row may succeed before the task lets others run.
/// *Second reading:* a peer that always has bytes for us would otherwise keep
/// this poll from ever returning, and even our own deadline would go unseen.
const CALLS_PER_TURN: u32 = 16;

/// A connection.
#[derive(Debug)]
pub struct TcpStream {
    source: Source,
    /// Calls that have succeeded since the last `Pending`.
    calls: Cell<u32>,
}

impl TcpStream {
    /// Connects to `address`. `fetch` is whose wait it is, for the trace.
    ///
    /// Nothing happens before the first poll.
    pub fn connect(reactor: &Rc<Reactor>, fetch: usize, address: SocketAddr) -> Connect {
        Connect {
            reactor: Rc::clone(reactor),
            fetch,
            address,
            stream: None,
        }
    }

    /// Reads some bytes; 0 is the end of input.
    pub fn read<'a>(&'a self, buffer: &'a mut [u8]) -> Read<'a> {
        Read {
            stream: self,
            buffer,
        }
    }

    /// Writes some bytes.
    pub fn write<'a>(&'a self, bytes: &'a [u8]) -> Write<'a> {
        Write {
            stream: self,
            bytes,
        }
    }

    /// [`read`](Self::read) as a function, for futures written by hand.
    ///
    /// # Errors
    ///
    /// The system's, but for `WouldBlock` and `Interrupted`.
    pub fn poll_read(&self, cx: &Context<'_>, buffer: &mut [u8]) -> Poll<io::Result<usize>> {
        self.poll_call(cx, Direction::Read, On::Readable, |mut socket| {
            socket.read(buffer)
        })
    }

    /// Whether there is something to read, the end of input included.
    ///
    /// # Errors
    ///
    /// As [`poll_read`](Self::poll_read).
    pub fn poll_readable(&self, cx: &Context<'_>) -> Poll<io::Result<()>> {
        self.poll_call(cx, Direction::Read, On::Readable, |socket| {
            socket.peek(&mut [0]).map(drop)
        })
    }

    /// [`write`](Self::write) as a function, for futures written by hand.
    ///
    /// # Errors
    ///
    /// As [`poll_read`](Self::poll_read).
    pub fn poll_write(&self, cx: &Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_call(cx, Direction::Write, On::Writable, |mut socket| {
            socket.write(bytes)
        })
    }

    /// Sets `TCP_NODELAY`.
    ///
    /// # Errors
    ///
    /// The system's.
    pub fn set_nodelay(&self) -> io::Result<()> {
        self.source.socket().set_nodelay(true)
    }

    /// A system call that does not block, and the wait if it would.
    fn poll_call<T>(
        &self,
        cx: &Context<'_>,
        direction: Direction,
        on: On,
        mut call: impl FnMut(&std::net::TcpStream) -> io::Result<T>,
    ) -> Poll<io::Result<T>> {
        if self.source.still_waits(direction, cx) {
            return Poll::Pending;
        }
        if self.calls.get() == CALLS_PER_TURN {
            self.calls.set(0);
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let result = loop {
            match call(self.source.socket()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        match result {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                self.calls.set(0);
                match self.source.wait_for(direction, on, cx) {
                    Ok(()) => Poll::Pending,
                    Err(error) => Poll::Ready(Err(error)),
                }
            }
            result => {
                self.calls.set(self.calls.get() + 1);
                Poll::Ready(result)
            }
        }
    }
}

/// The future of a connection. See [`TcpStream::connect`].
#[derive(Debug)]
pub struct Connect {
    reactor: Rc<Reactor>,
    fetch: usize,
    address: SocketAddr,
    /// On its way, once the first poll has begun it.
    stream: Option<TcpStream>,
}

impl Future for Connect {
    type Output = io::Result<TcpStream>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(stream) = self.stream.take() else {
            let stream = begin(&self.reactor, self.fetch, self.address)?;
            stream.source.wait_for(Direction::Write, On::Connect, cx)?;
            self.stream = Some(stream);
            return Poll::Pending;
        };
        let decided = stream.poll_call(cx, Direction::Write, On::Connect, connected);
        match decided {
            Poll::Ready(result) => Poll::Ready(result.map(|()| stream)),
            Poll::Pending => {
                self.stream = Some(stream);
                Poll::Pending
            }
        }
    }
}

/// Begins to connect. The standard library's `connect` blocks, so this is
/// `socket2`'s.
fn begin(reactor: &Rc<Reactor>, fetch: usize, address: SocketAddr) -> io::Result<TcpStream> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    if let Err(error) = socket.connect(&address.into())
        && !is_in_progress(&error)
    {
        return Err(error);
    }
    // Connected first, registered after: a socket that does neither is
    // reported as hung up.
    Ok(TcpStream {
        source: Source::register(reactor, fetch, socket.into())?,
        calls: Cell::new(0),
    })
}

fn is_in_progress(error: &io::Error) -> bool {
    // std has no stable `ErrorKind` for what Unix says here; Windows says
    // `WouldBlock`. An interrupted connect goes on by itself, and must not be
    // repeated.
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::EINPROGRESS) {
        return true;
    }
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// How a connection stands that was begun: `WouldBlock` if it is undecided.
///
/// That the socket has become writable says only that something happened. The
/// error, if there is one, can be read once; after that the peer's address
/// tells whether there is a connection.
fn connected(socket: &std::net::TcpStream) -> io::Result<()> {
    if let Some(error) = socket.take_error()? {
        return Err(error);
    }
    match socket.peer_addr() {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotConnected => Err(ErrorKind::WouldBlock.into()),
        Err(error) => Err(error),
    }
}

/// The future of some bytes read. See [`TcpStream::read`].
#[derive(Debug)]
pub struct Read<'a> {
    stream: &'a TcpStream,
    buffer: &'a mut [u8],
}

impl Future for Read<'_> {
    type Output = io::Result<usize>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Read { stream, buffer } = &mut *self;
        stream.poll_read(cx, buffer)
    }
}

impl Drop for Read<'_> {
    /// The stream lives on; the wait must not.
    fn drop(&mut self) {
        self.stream.source.forget(Direction::Read);
    }
}

/// The future of some bytes written. See [`TcpStream::write`].
#[derive(Debug)]
pub struct Write<'a> {
    stream: &'a TcpStream,
    bytes: &'a [u8],
}

impl Future for Write<'_> {
    type Output = io::Result<usize>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.stream.poll_write(cx, self.bytes)
    }
}

impl Drop for Write<'_> {
    /// As for [`Read`].
    fn drop(&mut self) {
        self.stream.source.forget(Direction::Write);
    }
}
