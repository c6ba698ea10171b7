//! The origin server that every run talks to: delays, scripted faults, a journal.
//!
//! One event loop on one thread holds all connections, so that ten thousand
//! waiting clients cost ten thousand small structs and no stacks. Nothing here
//! knows how a client parses HTTP: scripts are raw bytes, and a mistake in
//! framing cannot cancel itself out.
//!
//! ```
//! use std::{io::{Read, Write}, net::TcpStream, time::Duration};
//! use origin::{Config, Origin, Script};
//!
//! let origin = Origin::start(Config::default())?;
//! let slow = Script::new()
//!     .expect_request()
//!     .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
//!     .pause(Duration::from_millis(20))
//!     .send("ok")
//!     .close();
//! origin.script("slow", slow)?;
//!
//! let mut client = TcpStream::connect(origin.address())?;
//! client.write_all(b"GET /case/slow HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! client.read_to_string(&mut answer)?;
//! assert!(answer.ends_with("\r\n\r\nok"));
//! assert_eq!(origin.journal()[0].target.as_deref(), Some("/case/slow"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each connection serves one request; then its script ends it.
//!
//! Read in this order: [`Script`] (what a connection does), `exchange.rs` (the
//! state machine that does it) and its two halves `steps.rs` and `calls.rs`,
//! `reactor.rs` (the loop that drives them all) and `accept.rs`, `request.rs` and
//! `body.rs` (when a request is whole), `routes.rs`, `journal.rs`. What is in
//! `listener.rs` and `state.rs` explains itself.

mod body;
mod exchange;
mod journal;
mod listener;
mod reactor;
mod request;
mod routes;
mod script;
mod state;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::thread::JoinHandle;

use mio::{Poll, Waker};

pub use journal::{Connection, End, JOURNAL_CAPACITY, JOURNAL_REQUEST_BYTES};
pub use request::MAX_HEAD;
pub use script::{MAX_SCRIPT_BYTES, MAX_SCRIPT_STEPS, Script, ScriptTooLarge, Step};

use reactor::{Command, Reactor, Service, WAKER};
use state::State;

/// How an [`Origin`] is set up.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where to listen; port 0 lets the system choose. Default: 127.0.0.1:0.
    pub address: SocketAddr,
    /// Further addresses to listen on, on the same port. A client runs out of
    /// local ports per address, so crowds need several. Default: none.
    pub also: Vec<IpAddr>,
    /// Connections held at once, those on own listeners included. Further ones
    /// wait in the listen backlog until one ends. 0 counts as 1. Default: 100,000.
    pub max_connections: usize,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            also: Vec::new(),
            max_connections: 100_000,
        }
    }
}

/// A running origin server. Dropping it closes everything and joins its thread.
#[derive(Debug)]
pub struct Origin {
    address: SocketAddr,
    state: Arc<State>,
    commands: Sender<Command>,
    waker: Arc<Waker>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl Origin {
    /// Binds the addresses, raises the soft limit on descriptors to the hard
    /// one, and starts the event loop on a thread named "origin".
    ///
    /// # Errors
    ///
    /// An address cannot be bound (in use, or no such address here, as `::1`
    /// where there is no IPv6), or the system has no thread or descriptor left.
    pub fn start(config: Config) -> io::Result<Origin> {
        // As many connections as the system allows; with fewer it works, too.
        let _ = rlimit::increase_nofile_limit(u64::MAX);

        let also = config.also.iter().map(|ip| SocketAddr::new(*ip, 0));
        let addresses: Vec<_> = [config.address].into_iter().chain(also).collect();
        let listeners = listener::bind(&addresses)?;
        let address = listener::address(&listeners)?;

        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKER)?);
        let state = Arc::new(State::default());
        let (commands, inbox) = channel();
        let mut reactor = Reactor::new(poll, inbox, Arc::clone(&state), config.max_connections);
        reactor.listen(listeners, &Service::Routes)?;
        // It ends when this `Origin` is dropped, which tells it and joins it; it has no
        // result; there is one for an `Origin`.
        let thread = std::thread::Builder::new()
            .name("origin".to_owned())
            .spawn(move || reactor.run())?;
        Ok(Origin {
            address,
            state,
            commands,
            waker,
            thread: Some(thread),
        })
    }

    /// The first address it listens on, with the port in use.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of `path` here: `http://ADDRESS:PORT` and then `path`, which
    /// should start with a slash.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Serves `script` at `/case/<name>`, for any method and any number of
    /// times, in place of an earlier script of that name.
    ///
    /// # Errors
    ///
    /// The script exceeds [`MAX_SCRIPT_BYTES`] or [`MAX_SCRIPT_STEPS`].
    pub fn script(&self, name: &str, script: Script) -> Result<(), ScriptTooLarge> {
        let program = script.compile()?;
        self.state.cases().insert(name.to_owned(), program);
        Ok(())
    }

    /// Opens a listener of its own, on the first address's IP, whose every
    /// connection runs `script` from the moment it is accepted.
    ///
    /// # Errors
    ///
    /// See [`listen_on`](Origin::listen_on).
    pub fn listen(&self, script: Script) -> io::Result<SocketAddr> {
        self.listen_on(&[SocketAddr::new(self.address.ip(), 0)], script)
    }

    /// As [`listen`](Origin::listen), on the given addresses. Those with port 0
    /// share the port of the first. Gives the first address.
    ///
    /// # Errors
    ///
    /// No address is given, one cannot be bound, the script is too large
    /// (`InvalidInput`), or the server's loop has ended (`BrokenPipe`).
    pub fn listen_on(&self, addresses: &[SocketAddr], script: Script) -> io::Result<SocketAddr> {
        let program = script
            .compile()
            .map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        let listeners = listener::bind(addresses)?;
        let address = listener::address(&listeners)?;
        let (reply, answer) = sync_channel(1);
        let ended = || io::Error::new(io::ErrorKind::BrokenPipe, "the origin's loop has ended");
        self.commands
            .send(Command::Listen(listeners, Service::Script(program), reply))
            .map_err(|_| ended())?;
        self.waker.wake()?;
        answer.recv().map_err(|_| ended())??;
        Ok(address)
    }

    /// The connections so far, in the order they were accepted: the last
    /// [`JOURNAL_CAPACITY`] of them, fewer if their requests are large.
    pub fn journal(&self) -> Vec<Connection> {
        // Only reference counts are copied under the lock; the loop waits for
        // that and not for the copies.
        let entries = self.state.journal().entries();
        entries.iter().map(|entry| (**entry).clone()).collect()
    }

    /// Forgets all connections, also open ones, and starts the peak anew.
    pub fn clear_journal(&self) {
        self.state.journal().clear();
    }

    /// The most connections in flight at once, since the start or
    /// [`clear_journal`](Origin::clear_journal). A connection is in flight from
    /// its accept until its last response byte is written or its end is seen.
    pub fn peak_in_flight(&self) -> usize {
        self.state.journal().peak_in_flight()
    }

    /// Connections that are open now, also those only waiting for their client
    /// to leave.
    pub fn open_connections(&self) -> usize {
        self.state.journal().open_connections()
    }

    /// Connections accepted since the start.
    pub fn accepted(&self) -> u64 {
        self.state.journal().accepted()
    }

    /// Closes all listeners and connections and joins the thread.
    pub fn stop(self) {}

    /// Blocks as long as the server runs, which is until polling fails.
    ///
    /// # Errors
    ///
    /// The error that ended the loop.
    pub fn wait(mut self) -> io::Result<()> {
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(result)) => result,
            Some(Err(_)) => Err(io::Error::other("the origin's thread panicked")),
            None => Ok(()),
        }
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Either may fail only when the loop is gone already.
            let _ = self.commands.send(Command::Stop);
            let _ = self.waker.wake();
            let _ = thread.join();
        }
    }
}
