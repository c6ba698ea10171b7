//! The addresses of a host, tried in turn.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use std::vec;

use fetch_core::Request;

use crate::connection::Connection;
use crate::turn::Turn;

/// The least time that an address gets, however many there are.
const LEAST: Duration = Duration::from_millis(1);

/// What is left to try while a fetch connects. In stage 1 this is the state of
/// a `for` loop.
#[derive(Debug)]
pub struct Attempts {
    untried: vec::IntoIter<SocketAddr>,
    deadline: Instant,
    until: Instant,
}

impl Attempts {
    /// Nothing tried yet, and until `deadline` one has to have answered.
    pub fn new(addresses: Vec<SocketAddr>, deadline: Instant) -> Self {
        Attempts {
            untried: addresses.into_iter(),
            deadline,
            until: deadline,
        }
    }

    /// When the present address has used up its share of the time.
    pub fn until(&self) -> Instant {
        self.until
    }

    /// Begins to connect to the next address. It gets an equal share of the
    /// time that is left, so that one which never answers leaves time for the
    /// others. `error` is why the last one failed.
    ///
    /// # Errors
    ///
    /// Why the last one failed, when none is left.
    pub fn begin_next(
        &mut self,
        mut error: io::Error,
        request: &Request,
        turn: &Turn<'_>,
    ) -> io::Result<Connection> {
        while let Some(address) = self.untried.next() {
            match Connection::open(address, request.encode(), turn) {
                Ok(connection) => {
                    let remaining = self.deadline.saturating_duration_since(turn.now);
                    let others = u32::try_from(self.untried.len()).unwrap_or(u32::MAX);
                    let share = (remaining / others.saturating_add(1)).max(LEAST);
                    self.until = self.deadline.min(turn.now + share);
                    return Ok(connection);
                }
                Err(refused) => error = refused,
            }
        }
        Err(error)
    }
}
