//! Yours: the two phases of `poll` that are missing.

use std::future::Future;
use std::mem;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::{Buf, BytesMut};
use fetch_core::{FetchError, Outgoing, Request, Response};
use stage4_hand_rolled_future::connect::Connect;
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::tcp::TcpStream;

use crate::reply::Reply;

/// How much one read can bring, in bytes.
const CHUNK: usize = 8 * 1024;

/// Fetches `request` from the server at `address`. Nothing happens before the
/// first poll.
///
/// Its output is an error, if the connection fails or the response is wrong.
pub fn fetch(reactor: &Rc<Reactor>, address: SocketAddr, request: Request) -> Fetch {
    Fetch {
        request,
        phase: Phase::Connecting(TcpStream::connect(reactor, 0, address)),
    }
}

/// See [`fetch`].
#[derive(Debug)]
pub struct Fetch {
    request: Request,
    phase: Phase,
}

/// Where the work stopped, and what is needed after it.
#[derive(Debug)]
enum Phase {
    Connecting(Connect),
    Sending {
        stream: TcpStream,
        outgoing: Outgoing,
    },
    Receiving {
        stream: TcpStream,
        buffer: BytesMut,
        reply: Reply,
    },
    /// It is over, or `poll` has the phase in its hands.
    Done,
}

impl Future for Fetch {
    type Output = Result<Response, FetchError>;

    /// # Panics
    ///
    /// If polled again after it was done.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            // Taken out, so that its parts can be moved into the next phase.
            self.phase = match mem::replace(&mut self.phase, Phase::Done) {
                Phase::Connecting(mut connect) => match Pin::new(&mut connect).poll(cx) {
                    // `connect` has left our waker with the reactor.
                    Poll::Pending => return self.wait_in(Phase::Connecting(connect)),
                    Poll::Ready(Err(error)) => {
                        let authority = self.request.authority();
                        return Poll::Ready(Err(FetchError::connecting(&authority, &error)));
                    }
                    Poll::Ready(Ok(stream)) => Phase::Sending {
                        stream,
                        outgoing: self.request.encode(),
                    },
                },
                Phase::Sending { stream, outgoing } => {
                    // `stream.poll_write(cx, ...)`; an error is `FetchError::sending`.
                    // When all is sent, the next phase begins with an empty buffer
                    // and `Reply::to(&self.request)`.
                    todo!("Sending: write, and move on when nothing is left")
                }
                Phase::Receiving {
                    stream,
                    buffer,
                    reply,
                } => {
                    // `reply.take(&mut buffer)` gives the response once it is
                    // complete; `stream.poll_read(cx, ...)` gives more bytes, and 0
                    // is the end of input. An error is `reply.failed(...)`.
                    todo!("Receiving: read until the reply is complete")
                }
                Phase::Done => panic!("polled after it was done"),
            };
        }
    }
}

impl Fetch {
    /// Returns to whoever has polled, and goes on in `phase` the next time.
    fn wait_in<T>(&mut self, phase: Phase) -> Poll<T> {
        self.phase = phase;
        Poll::Pending
    }
}
