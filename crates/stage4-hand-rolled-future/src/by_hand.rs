//! The fetch as an enum: what the compiler makes of an `async fn`, by hand.
//!
//! Each variant of `Phase` is a place at which the fetch can wait, and holds
//! what is needed after it. `poll` goes from variant to variant until one of
//! them has to wait, puts it back, and returns. It is stage 3's struct; what is
//! new is who calls: not a loop that knows about fetches, but anybody who has a
//! `Context`.
//!
//! No field points into another, so the values may be moved between polls, and
//! `Pin` asks nothing of us. The compiler's enums do point into themselves
//! (`read_head` borrows the connection that its caller holds), and are why it
//! exists.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::mem;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::vec;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};

use crate::clock::Clock;
use crate::connection::Connection;
use crate::lane::Lane;
use crate::reactor::Reactor;
use crate::resolve::Resolving;
use crate::tcp::{Connect, TcpStream};
use crate::timeout::Timeout;

/// Fetches `request`. Nothing happens before the first poll, and dropping the
/// future at any time closes its connection.
///
/// # Errors
///
/// Its output may be any [`FetchError`] but those that [`Request::new`] finds.
pub fn fetch(id: usize, request: Request, options: Rc<Options>, reactor: Rc<Reactor>) -> Fetch {
    Fetch(State::New {
        id,
        request,
        options,
        reactor,
    })
}

/// See [`fetch`].
#[derive(Debug)]
pub struct Fetch(State);

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a future is as large as its largest state, and this one is nearly always there"
)]
enum State {
    New {
        id: usize,
        request: Request,
        options: Rc<Options>,
        reactor: Rc<Reactor>,
    },
    Running {
        lane: Lane,
        clock: Clock,
        exchange: Timeout<Exchange>,
    },
    Done,
}

impl Future for Fetch {
    type Output = Result<Response, FetchError>;

    /// # Panics
    ///
    /// If polled again after it was done.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let State::New { .. } = self.0 {
            self.0 = mem::replace(&mut self.0, State::Done).start();
        }
        let State::Running {
            lane,
            clock,
            exchange,
        } = &mut self.0
        else {
            panic!("polled after it was done");
        };
        let result = match ready!(Pin::new(exchange).poll(cx)) {
            Some(result) => result,
            None => Err(clock.timeout()),
        };
        lane.finish(&result);
        // What is left of it, the connection perhaps, goes now.
        self.0 = State::Done;
        Poll::Ready(result)
    }
}

impl State {
    fn start(self) -> Self {
        let State::New {
            id,
            request,
            options,
            reactor,
        } = self
        else {
            return self;
        };
        let lane = Lane::start(id);
        let clock = Clock::start(&options);
        let resolving = Resolving::new(id, &request, &options.resolver);
        let exchange = Exchange {
            id,
            request,
            max_body_bytes: options.max_body_bytes,
            clock,
            reactor: Rc::clone(&reactor),
            phase: Phase::Resolving(resolving),
        };
        State::Running {
            lane,
            clock,
            exchange: Timeout::at(&reactor, id, clock.end(), exchange),
        }
    }
}

/// One request and its response.
#[derive(Debug)]
struct Exchange {
    id: usize,
    request: Request,
    max_body_bytes: u64,
    clock: Clock,
    reactor: Rc<Reactor>,
    phase: Phase,
}

/// Where the work stopped.
#[derive(Debug)]
enum Phase {
    Resolving(Resolving),
    Connecting(Connecting),
    Sending(Connection),
    ReadingHead {
        connection: Connection,
        buffer: BytesMut,
        parser: HeadParser,
    },
    ReadingBody {
        connection: Connection,
        buffer: BytesMut,
        head: ResponseHead,
        body: BodyDecoder,
    },
    /// The result has been given away, and nothing is held any more.
    Done,
}

impl Exchange {
    /// Returns to whoever polled, and goes on in `phase` the next time.
    fn wait_in<T>(&mut self, phase: Phase) -> Poll<T> {
        self.phase = phase;
        Poll::Pending
    }
}

impl Future for Exchange {
    type Output = Result<Response, FetchError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            // Taken out, so that it can be moved into the next; and so that
            // leaving by `?` lets go of everything.
            self.phase = match mem::replace(&mut self.phase, Phase::Done) {
                Phase::Resolving(mut resolving) => match Pin::new(&mut resolving).poll(cx)? {
                    Poll::Pending => return self.wait_in(Phase::Resolving(resolving)),
                    Poll::Ready(addresses) => Phase::Connecting(Connecting::new(
                        self.id,
                        addresses,
                        self.clock,
                        &self.reactor,
                    )),
                },
                Phase::Connecting(mut connecting) => match Pin::new(&mut connecting).poll(cx) {
                    Poll::Pending => return self.wait_in(Phase::Connecting(connecting)),
                    Poll::Ready(Err(error)) => {
                        let error = self.clock.no_connection(&self.request, error);
                        return Poll::Ready(Err(error));
                    }
                    Poll::Ready(Ok(stream)) => {
                        Phase::Sending(Connection::new(stream, &self.request))
                    }
                },
                Phase::Sending(mut connection) => match connection.poll_send_request(cx) {
                    Poll::Pending => return self.wait_in(Phase::Sending(connection)),
                    Poll::Ready(()) => Phase::ReadingHead {
                        connection,
                        buffer: BytesMut::new(),
                        parser: HeadParser::new(),
                    },
                },
                Phase::ReadingHead {
                    mut connection,
                    mut buffer,
                    mut parser,
                } => {
                    if let Some(head) = parser.parse(&mut buffer)? {
                        let method = self.request.method();
                        let body = BodyDecoder::new(method, &head, self.max_body_bytes)?;
                        Phase::ReadingBody {
                            connection,
                            buffer,
                            head,
                            body,
                        }
                    } else {
                        let read =
                            connection.poll_read(cx, &mut buffer, FetchError::reading_head)?;
                        let phase = Phase::ReadingHead {
                            connection,
                            buffer,
                            parser,
                        };
                        match read {
                            Poll::Pending => return self.wait_in(phase),
                            Poll::Ready(0) => {
                                return Poll::Ready(Err(FetchError::closed_before_head()));
                            }
                            Poll::Ready(_) => phase,
                        }
                    }
                }
                Phase::ReadingBody {
                    mut connection,
                    mut buffer,
                    head,
                    mut body,
                } => {
                    if body.decode(&mut buffer)? {
                        return Poll::Ready(Ok(head.into_response(body)));
                    }
                    match connection.poll_read(cx, &mut buffer, FetchError::reading_body)? {
                        Poll::Ready(0) => {
                            body.end_of_input()?;
                            return Poll::Ready(Ok(head.into_response(body)));
                        }
                        read => {
                            let phase = Phase::ReadingBody {
                                connection,
                                buffer,
                                head,
                                body,
                            };
                            if read.is_pending() {
                                return self.wait_in(phase);
                            }
                            phase
                        }
                    }
                }
                Phase::Done => panic!("polled after it was done"),
            }
        }
    }
}

/// The addresses in turn, each with its share of the time. Its loop is in the
/// fields: an iterator, and the attempt that is on its way.
#[derive(Debug)]
struct Connecting {
    id: usize,
    clock: Clock,
    reactor: Rc<Reactor>,
    untried: vec::IntoIter<SocketAddr>,
    attempt: Option<Timeout<Connect>>,
    last_error: Option<io::Error>,
}

impl Connecting {
    fn new(id: usize, addresses: Vec<SocketAddr>, clock: Clock, reactor: &Rc<Reactor>) -> Self {
        Connecting {
            id,
            clock,
            reactor: Rc::clone(reactor),
            untried: addresses.into_iter(),
            attempt: None,
            last_error: None,
        }
    }
}

impl Future for Connecting {
    /// The error is that of the last address, if there was one.
    type Output = Result<TcpStream, Option<io::Error>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            if let Some(attempt) = &mut self.attempt {
                let outcome = ready!(Pin::new(attempt).poll(cx));
                self.attempt = None;
                match outcome {
                    Some(Ok(stream)) => return Poll::Ready(Ok(stream)),
                    Some(Err(error)) => self.last_error = Some(error),
                    None => self.last_error = Some(ErrorKind::TimedOut.into()),
                }
            }
            let share = self.clock.share(self.untried.len());
            let Some(address) = self.untried.next() else {
                return Poll::Ready(Err(self.last_error.take()));
            };
            let connecting = TcpStream::connect(&self.reactor, self.id, address);
            self.attempt = Some(Timeout::at(&self.reactor, self.id, share, connecting));
        }
    }
}
