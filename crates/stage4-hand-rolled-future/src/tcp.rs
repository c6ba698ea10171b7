//! TCP as futures: where `WouldBlock` becomes `Pending`.
//!
//! These are the leaves. All other futures here are made of futures, and only
//! these talk to the reactor.

use std::cell::Cell;
use std::future::Future;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::mem::MaybeUninit;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use fetch_core::wait::On;
use socket2::SockRef;

use crate::connect::Connect;
use crate::reactor::{Reactor, Source};
use crate::waits::Direction;

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
    /// See [`expect_answer`](Self::expect_answer).
    expects_answer: Cell<bool>,
}

impl TcpStream {
    /// Connects to `address`. `fetch` is whose wait it is, for the trace.
    ///
    /// Nothing happens before the first poll.
    pub fn connect(reactor: &Rc<Reactor>, fetch: usize, address: SocketAddr) -> Connect {
        Connect::new(reactor, fetch, address)
    }

    /// A stream on a socket whose connection may not be there yet.
    pub(crate) fn new(source: Source) -> Self {
        TcpStream {
            source,
            calls: Cell::new(0),
            expects_answer: Cell::new(false),
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
        // For this poll only: the next one is because of an event, and looks.
        let too_early = self.expects_answer.take();
        self.poll_call(cx, Direction::Read, On::Readable, |mut socket| {
            if too_early {
                return Err(ErrorKind::WouldBlock.into());
            }
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
            let peeked = socket.peek(&mut [0]);
            if peeked.is_err() {
                drop_urgent(socket);
            }
            peeked.map(drop)
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

    /// The request has just gone out, and its answer is hardly here yet. So the
    /// next read waits without a look, which would nearly always say `WouldBlock`.
    ///
    /// No wake-up is lost by that. To wait is to ask the poller, and it answers
    /// at once if there is something *by then*, however long it has been there.
    /// So an early answer costs one wake more, and is read after it.
    pub fn expect_answer(&self) {
        self.expects_answer.set(true);
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
    pub(crate) fn poll_call<T>(
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

/// Takes a byte of urgent data out, if there is one (RFC 9293 §3.8.5). To
/// `polling` it makes a socket readable, and a look at what is next does not
/// find it: the reactor would wake us for it again and again. To read takes it
/// out, too.
fn drop_urgent(socket: &std::net::TcpStream) {
    // An error says that there is none.
    let _ = SockRef::from(socket).recv_out_of_band(&mut [MaybeUninit::uninit()]);
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
