//! Yours: the two phases of `poll` that were missing.

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
                Phase::Sending {
                    stream,
                    mut outgoing,
                } if outgoing.has_remaining() => match stream.poll_write(cx, outgoing.chunk()) {
                    Poll::Pending => return self.wait_in(Phase::Sending { stream, outgoing }),
                    Poll::Ready(Err(error)) => {
                        return Poll::Ready(Err(FetchError::sending(&error)));
                    }
                    Poll::Ready(Ok(length)) => {
                        outgoing.advance(length);
                        // Not Pending: nobody has our waker. Another round.
                        Phase::Sending { stream, outgoing }
                    }
                },
                Phase::Sending { stream, .. } => Phase::Receiving {
                    stream,
                    buffer: BytesMut::new(),
                    reply: Reply::to(&self.request),
                },
                Phase::Receiving {
                    stream,
                    mut buffer,
                    mut reply,
                } => {
                    if let Some(response) = reply.take(&mut buffer)? {
                        return Poll::Ready(Ok(response));
                    }
                    let mut chunk = [0; CHUNK];
                    match stream.poll_read(cx, &mut chunk) {
                        Poll::Pending => {
                            return self.wait_in(Phase::Receiving {
                                stream,
                                buffer,
                                reply,
                            });
                        }
                        Poll::Ready(Err(error)) => return Poll::Ready(Err(reply.failed(&error))),
                        Poll::Ready(Ok(0)) => return Poll::Ready(reply.end_of_input()),
                        Poll::Ready(Ok(length)) => {
                            buffer.extend_from_slice(&chunk[..length]);
                            Phase::Receiving {
                                stream,
                                buffer,
                                reply,
                            }
                        }
                    }
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
