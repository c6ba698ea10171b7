//! The addresses of a host in turn, each with its share of the time.
//!
//! As an `async fn` this is a `for` loop, `connect` in
//! [`connection`](crate::connection). Here the loop is in the fields: an
//! iterator, and the attempt that is on its way.

use std::future::Future;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::vec;

use crate::clock::Clock;
use crate::connect::Connect;
use crate::reactor::Reactor;
use crate::tcp::TcpStream;
use crate::timeout::Timeout;

/// The future of a connection to the first address that answers.
#[derive(Debug)]
pub struct Connecting {
    id: usize,
    clock: Clock,
    reactor: Rc<Reactor>,
    untried: vec::IntoIter<SocketAddr>,
    attempt: Option<Timeout<Connect>>,
    last_error: Option<io::Error>,
}

impl Connecting {
    /// Nothing happens before the first poll. `id` is the fetch, for the trace.
    pub fn new(id: usize, addresses: Vec<SocketAddr>, clock: Clock, reactor: &Rc<Reactor>) -> Self {
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
