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
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};

use crate::clock::Clock;
use crate::connecting::Connecting;
use crate::connection::Connection;
use crate::lane::Lane;
use crate::reactor::Reactor;
use crate::resolve::Resolving;
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
                    Poll::Ready(addresses) => {
                        let (id, clock, reactor) = (self.id, self.clock, &self.reactor);
                        Phase::Connecting(Connecting::new(id, addresses, clock, reactor))
                    }
                },
                Phase::Connecting(mut connecting) => match Pin::new(&mut connecting).poll(cx) {
                    Poll::Pending => return self.wait_in(Phase::Connecting(connecting)),
                    Poll::Ready(Ok(stream)) => {
                        Phase::Sending(Connection::new(stream, &self.request))
                    }
                    Poll::Ready(Err(last)) => {
                        let error = self.clock.no_connection(&self.request, last);
                        return Poll::Ready(Err(error));
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
                } => match poll_read_head(cx, &mut connection, &mut buffer, &mut parser)? {
                    Poll::Pending => {
                        return self.wait_in(Phase::ReadingHead {
                            connection,
                            buffer,
                            parser,
                        });
                    }
                    Poll::Ready(head) => {
                        let method = self.request.method();
                        Phase::ReadingBody {
                            body: BodyDecoder::new(method, &head, self.max_body_bytes)?,
                            connection,
                            buffer,
                            head,
                        }
                    }
                },
                Phase::ReadingBody {
                    mut connection,
                    mut buffer,
                    head,
                    mut body,
                } => match poll_read_body(cx, &mut connection, &mut buffer, &mut body)? {
                    Poll::Pending => {
                        return self.wait_in(Phase::ReadingBody {
                            connection,
                            buffer,
                            head,
                            body,
                        });
                    }
                    Poll::Ready(()) => return Poll::Ready(Ok(head.into_response(body))),
                },
                Phase::Done => panic!("polled after it was done"),
            }
        }
    }
}

/// Reads until the head is complete, or until there is nothing to read. How far
/// it has come is in the arguments; this frame goes whenever it has to wait.
fn poll_read_head(
    cx: &Context<'_>,
    connection: &mut Connection,
    buffer: &mut BytesMut,
    parser: &mut HeadParser,
) -> Poll<Result<ResponseHead, FetchError>> {
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Poll::Ready(Ok(head));
        }
        if ready!(connection.poll_read(cx, buffer, FetchError::reading_head))? == 0 {
            return Poll::Ready(Err(FetchError::closed_before_head()));
        }
    }
}

/// Reads until the body is complete, or until there is nothing to read.
fn poll_read_body(
    cx: &Context<'_>,
    connection: &mut Connection,
    buffer: &mut BytesMut,
    body: &mut BodyDecoder,
) -> Poll<Result<(), FetchError>> {
    while !body.decode(buffer)? {
        if ready!(connection.poll_read(cx, buffer, FetchError::reading_body))? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Poll::Ready(Ok(()))
}
