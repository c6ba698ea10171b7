//! Accepting: as many as are there and may be held, and none too eagerly.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use mio::{Interest, Token};

use super::{Reactor, Service, Slot};
use crate::exchange::Exchange;
use crate::script::Program;

/// The most connections accepted before the others get their turn.
const ACCEPT_BUDGET: usize = 512;

/// How long to wait after an accept failed, as it does without descriptors:
/// the listener stays ready, and trying on at once would be a busy loop.
const ACCEPT_RETRY: Duration = Duration::from_millis(20);

impl Reactor {
    /// Accepts from the listeners that may have connections waiting.
    pub(super) fn accept(&mut self) {
        if self.accept_after.is_some_and(|time| Instant::now() < time) {
            return;
        }
        self.accept_after = None;
        self.accepting.sort_unstable();
        self.accepting.dedup();
        for token in std::mem::take(&mut self.accepting) {
            if !self.accept_from(token) {
                self.accepting.push(token);
            }
        }
    }

    /// Accepts from one listener; gives whether all there was is accepted.
    fn accept_from(&mut self, token: Token) -> bool {
        for _ in 0..ACCEPT_BUDGET {
            if self.is_full() {
                return false;
            }
            let Some((listener, service)) = self.listeners.get(&token) else {
                return true;
            };
            match listener.accept() {
                Ok((stream, peer)) => {
                    let program = match service {
                        Service::Routes => None,
                        Service::Script(program) => Some(program.clone()),
                    };
                    self.open(stream, peer, program);
                }
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => return true,
                    // The client left before we came, or a signal did.
                    ErrorKind::ConnectionAborted | ErrorKind::Interrupted => {}
                    _ => {
                        self.accept_after = Some(Instant::now() + ACCEPT_RETRY);
                        return false;
                    }
                },
            }
        }
        false
    }

    fn open(&mut self, mut stream: TcpStream, peer: SocketAddr, program: Option<Program>) {
        // Segments are to leave when they are written. It fails only for a
        // connection that is gone, and reading will show that.
        let _ = stream.set_nodelay(true);
        self.connections_opened += 1;
        let token = Token(2 * self.connections_opened + 1);
        let both = Interest::READABLE | Interest::WRITABLE;
        if self
            .poll
            .registry()
            .register(&mut stream, token, both)
            .is_err()
        {
            return;
        }
        let id = self.state.journal().open(peer);
        let exchange = Exchange::new(stream, id, program);
        let slot = Slot {
            exchange,
            alarm: None,
        };
        self.connections.insert(token, slot);
        self.fresh.push(token);
    }

    pub(super) fn is_full(&self) -> bool {
        self.connections.len() >= self.max_connections
    }
}
