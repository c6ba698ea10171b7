//! Names to addresses, without stopping the loop.
//!
//! `getaddrinfo` blocks for as long as it likes, and there is no descriptor to
//! poll. Called on the loop's thread it would stop every fetch and not only the
//! one that asked. So here, and only here, threads come back in.

use std::io;
use std::net::SocketAddr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread;

use fetch_core::Resolve;
use mio::{Registry, Token, Waker};

use crate::slots::WAKER;

/// Asks on other threads, and wakes the loop when there is an answer.
#[derive(Debug)]
pub struct Resolver {
    resolve: Arc<dyn Resolve>,
    waker: Arc<Waker>,
    tell: Sender<Answer>,
    answers: Receiver<Answer>,
}

/// The addresses of a name, and which fetch asked.
#[derive(Debug)]
pub struct Answer {
    /// The fetch. It may be over by now.
    pub token: Token,
    /// What the resolver said.
    pub addresses: io::Result<Vec<SocketAddr>>,
}

impl Resolver {
    /// A resolver that reports to the loop behind `registry`, with the token
    /// [`WAKER`].
    ///
    /// # Errors
    ///
    /// The system has no descriptor for the waker.
    pub fn new(resolve: Arc<dyn Resolve>, registry: &Registry) -> io::Result<Self> {
        let (tell, answers) = channel();
        Ok(Resolver {
            resolve,
            waker: Arc::new(Waker::new(registry, WAKER)?),
            tell,
            answers,
        })
    }

    /// Looks a name up on a thread of its own.
    ///
    /// # Errors
    ///
    /// No thread can be had.
    pub fn ask(&self, token: Token, host: String, port: u16) -> io::Result<()> {
        let resolve = Arc::clone(&self.resolve);
        let tell = self.tell.clone();
        // Weak, so that a resolver that never answers keeps no descriptor.
        let waker = Arc::downgrade(&self.waker);
        let look_up = move || {
            let ask = AssertUnwindSafe(|| resolve.resolve(&host, port));
            let addresses = panic::catch_unwind(ask)
                .unwrap_or_else(|_| Err(io::Error::other("the resolver panicked")));
            // The answer first, then the bell: who is woken must find it.
            if tell.send(Answer { token, addresses }).is_ok() {
                ring(&waker);
            }
        };
        // When does it end? When the resolver returns, which may be after its
        // fetch. Who cancels it? Nobody can. Who receives its result? `answers`,
        // while the loop lives; by then the token may be that of nobody. What
        // bounds their number? `max_in_flight`, as long as the resolver answers
        // within the deadline; it holds no socket.
        thread::Builder::new()
            .name("resolver".to_owned())
            .spawn(look_up)
            .map(drop)
    }

    /// An answer that has come and was not taken yet. Does not block.
    pub fn next_answer(&self) -> Option<Answer> {
        self.answers.try_recv().ok()
    }
}

/// Ends the loop's wait. A channel alone would not: the loop sleeps in the
/// system's poll call, which knows of descriptors and of nothing else.
fn ring(waker: &Weak<Waker>) {
    if let Some(waker) = waker.upgrade() {
        // If this fails, the answer lies in the channel until the next ring; if
        // there is none, until the deadline ends the fetch.
        let _ = waker.wake();
    }
}
