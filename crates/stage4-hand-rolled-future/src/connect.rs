//! A connection as a future.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use fetch_core::wait::On;
use socket2::{Domain, Socket, Type};

use crate::reactor::{Reactor, Source};
use crate::tcp::TcpStream;
use crate::waits::Direction;

/// The future of a connection. See [`TcpStream::connect`].
#[derive(Debug)]
pub struct Connect {
    reactor: Rc<Reactor>,
    fetch: usize,
    address: SocketAddr,
    /// On its way, once the first poll has begun it.
    stream: Option<TcpStream>,
}

impl Connect {
    pub(crate) fn new(reactor: &Rc<Reactor>, fetch: usize, address: SocketAddr) -> Self {
        Connect {
            reactor: Rc::clone(reactor),
            fetch,
            address,
            stream: None,
        }
    }
}

impl Future for Connect {
    type Output = io::Result<TcpStream>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(stream) = self.stream.take() else {
            let socket = begin(self.address)?;
            // Connect first, register after: a socket that is neither connected
            // nor connecting is reported as hung up at once.
            let source = Source::connecting(&self.reactor, self.fetch, socket, cx)?;
            self.stream = Some(TcpStream::new(source));
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
fn begin(address: SocketAddr) -> io::Result<std::net::TcpStream> {
    let socket = nonblocking(Domain::for_address(address))?;
    if let Err(error) = socket.connect(&address.into())
        && !is_in_progress(&error)
    {
        return Err(error);
    }
    Ok(socket.into())
}

/// A socket whose calls do not block. Linux takes that wish along when it makes
/// the socket; elsewhere it is made known afterwards.
fn nonblocking(domain: Domain) -> io::Result<Socket> {
    #[cfg(target_os = "linux")]
    let socket = Socket::new(domain, Type::STREAM.nonblocking(), None)?;
    #[cfg(not(target_os = "linux"))]
    let socket = {
        let socket = Socket::new(domain, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket
    };
    Ok(socket)
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
/// That the socket has become writable says only that something happened. It
/// has a peer if, and only if, there is a connection
/// (<https://cr.yp.to/docs/connect.html>). If there is none, the socket's error
/// says why, and can be read once. If there is neither, the event was a hint that
/// is not true, and the wait goes on (tokio#3879).
///
/// Stage 3 asks for the error first. Then a connection that is there, as nearly
/// all are, takes two calls.
fn connected(socket: &std::net::TcpStream) -> io::Result<()> {
    let Err(no_peer) = socket.peer_addr() else {
        return Ok(());
    };
    match socket.take_error()? {
        Some(why) => Err(why),
        None if no_peer.kind() == ErrorKind::NotConnected => Err(ErrorKind::WouldBlock.into()),
        None => Err(no_peer),
    }
}
