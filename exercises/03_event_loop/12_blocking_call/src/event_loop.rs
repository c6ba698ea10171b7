//! The loop. Given: there is nothing to change here.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;

use fetch_core::{FetchError, Request, Resolve, Response};
use mio::{Events, Poll, Registry, Token, Waker};

use crate::connection::Connection;
use crate::{Bell, Names};

/// The token of the waker, which is no fetch's.
const WAKER: Token = Token(usize::MAX);

impl Bell for Waker {
    fn ring(&self) {
        // If the system refuses, nothing can be done about it here.
        let _ = self.wake();
    }
}

/// Fetches all `requests` on the calling thread, and tells `finished` of each
/// result as it comes: the request's index, and the result.
///
/// # Errors
///
/// The system has no descriptor left, or its poll call fails.
pub fn fetch_all(
    requests: &[Request],
    resolver: Arc<dyn Resolve>,
    mut finished: impl FnMut(usize, Result<Response, FetchError>),
) -> io::Result<()> {
    let mut poll = Poll::new()?;
    // To wake the loop from another thread: its sleep ends as if a socket had
    // become ready, with an event that has this token.
    let waker = Waker::new(poll.registry(), WAKER)?;
    let mut names = Names::new(resolver, Arc::new(waker));
    let mut connections: Vec<Option<Connection>> = Vec::new();
    let mut unfinished = requests.len();
    let mut finish = |index, result| {
        unfinished -= 1;
        finished(index, result);
        unfinished == 0
    };

    for (index, request) in requests.iter().enumerate() {
        connections.push(None);
        match request.literal_address() {
            Some(address) => match open(request, vec![address], Token(index), poll.registry()) {
                Ok(connection) => connections[index] = Some(connection),
                Err(error) => {
                    finish(index, Err(error));
                }
            },
            None => names.ask(Token(index), request.host(), request.port())?,
        }
    }

    let mut events = Events::with_capacity(64);
    let mut all_finished = requests.is_empty();
    while !all_finished {
        // Here the thread sleeps, for all fetches together.
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            result => result?,
        }
        for event in &events {
            if event.token() == WAKER {
                while let Some(answer) = names.next_answer() {
                    let Token(index) = answer.token;
                    let request = &requests[index];
                    let addresses = answer
                        .addresses
                        .map_err(|error| FetchError::resolving(&request.host(), &error));
                    let opened = addresses.and_then(|addresses| {
                        open(request, addresses, answer.token, poll.registry())
                    });
                    match opened {
                        Ok(connection) => connections[index] = Some(connection),
                        Err(error) => all_finished = finish(index, Err(error)),
                    }
                }
                continue;
            }
            let Token(index) = event.token();
            if let Some(connection) = &mut connections[index]
                && let Some(result) = connection.on_event().transpose()
            {
                // Dropped, and with it closed.
                connections[index] = None;
                all_finished = finish(index, result);
            }
        }
    }
    Ok(())
}

/// Connects to the first address. (Stage 3 tries them all.)
fn open(
    request: &Request,
    addresses: Vec<SocketAddr>,
    token: Token,
    registry: &Registry,
) -> Result<Connection, FetchError> {
    let failed = |error| FetchError::connecting(&request.authority(), &error);
    let address = addresses.first().copied();
    let address = address.ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
    Connection::open(request, address, token, registry).map_err(failed)
}
