//! The reactor: one thread waits for all connections, listeners and timers.
//!
//! A turn: poll; drive the exchanges that have an event, whose alarm is due,
//! or whose budget was spent in the last turn; accept. Accepting comes last
//! and new connections are counted as in flight only in the next turn, after
//! the events of the older ones: a client that gave up one connection and then
//! opened another never has two in flight.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token};
use socket2::SockRef;

use crate::exchange::{Context, Exchange, Turn};
use crate::journal::End;
use crate::routes::State;
use crate::script::Program;

/// The token of the waker. Listeners have even tokens from 2, connections odd
/// ones; none is ever used twice, so a late event finds nothing.
pub(crate) const WAKER: Token = Token(0);

/// The most connections accepted before the others get their turn.
const ACCEPT_BUDGET: usize = 512;

/// How long to wait after an accept failed, as it does without descriptors:
/// the listener stays ready, and trying on at once would be a busy loop.
const ACCEPT_RETRY: Duration = Duration::from_millis(20);

const EVENTS: usize = 4096;
const SCRATCH: usize = 64 << 10;

/// What the connections of a listener do.
#[derive(Debug, Clone)]
pub(crate) enum Service {
    /// Read the head and answer by route.
    Routes,
    /// Run a script from the start.
    Script(Program),
}

/// What the handle asks of the loop.
#[derive(Debug)]
pub(crate) enum Command {
    Listen(Vec<TcpListener>, Service, SyncSender<io::Result<()>>),
    Stop,
}

pub(crate) struct Reactor {
    poll: Poll,
    commands: Receiver<Command>,
    state: Arc<State>,
    max_connections: usize,
    listeners: HashMap<Token, (TcpListener, Service)>,
    listeners_opened: usize,
    connections: HashMap<Token, Slot>,
    connections_opened: usize,
    alarms: BTreeSet<(Instant, Token)>,
    /// Exchanges with work left over from the last turn.
    again: Vec<Token>,
    /// Connections accepted in the last turn.
    fresh: Vec<Token>,
    /// Listeners that may have more to accept, and when to try.
    accepting: Vec<Token>,
    accept_after: Option<Instant>,
    scratch: Vec<u8>,
}

struct Slot {
    exchange: Exchange,
    alarm: Option<Instant>,
}

impl Reactor {
    pub(crate) fn new(
        poll: Poll,
        commands: Receiver<Command>,
        state: Arc<State>,
        max_connections: usize,
    ) -> Reactor {
        Reactor {
            poll,
            commands,
            state,
            max_connections: max_connections.max(1),
            listeners: HashMap::new(),
            listeners_opened: 0,
            connections: HashMap::new(),
            connections_opened: 0,
            alarms: BTreeSet::new(),
            again: Vec::new(),
            fresh: Vec::new(),
            accepting: Vec::new(),
            accept_after: None,
            scratch: vec![0; SCRATCH],
        }
    }

    /// Adds listeners that share a service.
    pub(crate) fn listen(
        &mut self,
        listeners: Vec<TcpListener>,
        service: &Service,
    ) -> io::Result<()> {
        // All or none: on an error those registered before are closed again.
        let mut registered = Vec::new();
        for mut listener in listeners {
            self.listeners_opened += 1;
            let token = Token(2 * self.listeners_opened);
            let registry = self.poll.registry();
            registry.register(&mut listener, token, Interest::READABLE)?;
            registered.push((token, (listener, service.clone())));
        }
        self.listeners.extend(registered);
        Ok(())
    }

    /// Runs until it is told to stop.
    ///
    /// # Errors
    ///
    /// Polling failed.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(EVENTS);
        loop {
            match self.poll.poll(&mut events, self.timeout()) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                result => result?,
            }
            let mut ready = std::mem::take(&mut self.again);
            for token in events.iter().map(|event| event.token()) {
                match token {
                    WAKER => {
                        if !self.obey() {
                            self.close_all();
                            return Ok(());
                        }
                    }
                    Token(n) if n % 2 == 0 => self.accepting.push(token),
                    connection => ready.push(connection),
                }
            }
            self.turn(ready);
        }
    }

    fn turn(&mut self, mut ready: Vec<Token>) {
        // One turn for each, though it may have an event and work left over.
        ready.sort_unstable();
        ready.dedup();
        for token in ready {
            let slot = self.connections.get(&token);
            if slot.is_some_and(|slot| !slot.exchange.is_fresh()) {
                self.drive(token);
            }
        }
        for token in std::mem::take(&mut self.fresh) {
            if let Some(slot) = self.connections.get_mut(&token) {
                slot.exchange.take_off(&self.state);
            }
            self.drive(token);
        }
        let now = Instant::now();
        while let Some(&(alarm, token)) = self.alarms.first()
            && alarm <= now
        {
            self.alarms.pop_first();
            if let Some(slot) = self.connections.get_mut(&token) {
                slot.alarm = None;
            }
            self.drive(token);
        }
        self.accept();
    }

    /// How long poll may wait. Rounded up: a timeout of less than a
    /// millisecond would become 0, and the loop would spin until it is due.
    fn timeout(&self) -> Option<Duration> {
        let full = self.connections.len() >= self.max_connections;
        let waiting = !self.accepting.is_empty() && !full;
        let now = Instant::now();
        if !self.again.is_empty() || !self.fresh.is_empty() {
            return Some(Duration::ZERO);
        }
        let accept = waiting.then(|| self.accept_after.unwrap_or(now));
        let alarm = self.alarms.first().map(|(alarm, _)| *alarm);
        let next = accept.into_iter().chain(alarm).min()?;
        let left = next.saturating_duration_since(now);
        let round_up = Duration::from_nanos(999_999);
        let milliseconds = (left + round_up).as_millis();
        Some(Duration::from_millis(
            milliseconds.try_into().unwrap_or(u64::MAX),
        ))
    }

    /// Does what the handle asked for; false means to stop.
    fn obey(&mut self) -> bool {
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Listen(listeners, service, reply) => {
                    // If nobody waits for the answer any more, all is well.
                    let _ = reply.send(self.listen(listeners, &service));
                }
                Command::Stop => return false,
            }
        }
        true
    }

    fn drive(&mut self, token: Token) {
        let Some(slot) = self.connections.get_mut(&token) else {
            return;
        };
        let mut cx = Context {
            state: &self.state,
            scratch: &mut self.scratch,
            budget: 0,
        };
        let (alarm, end) = match slot.exchange.drive(&mut cx) {
            Turn::Wait(alarm) => (Some(alarm), None),
            Turn::Again => {
                self.again.push(token);
                (None, None)
            }
            Turn::Over(end) => (None, Some(end)),
        };
        if slot.alarm != alarm {
            if let Some(old) = slot.alarm {
                self.alarms.remove(&(old, token));
            }
            if let Some(new) = alarm {
                self.alarms.insert((new, token));
            }
            slot.alarm = alarm;
        }
        if let Some(end) = end {
            self.close(token, end);
        }
    }

    fn close(&mut self, token: Token, end: End) {
        let Some(mut slot) = self.connections.remove(&token) else {
            return;
        };
        let stream = &mut slot.exchange.stream;
        if end == End::OriginReset {
            // If this fails, the peer has reset it first.
            let _ = SockRef::from(&*stream).set_linger(Some(Duration::ZERO));
        }
        // Before the descriptor is closed: its number may be used again at
        // once. It fails only for what is not registered.
        let _ = self.poll.registry().deregister(stream);
        slot.exchange.end(end, &self.state);
    }

    fn accept(&mut self) {
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
            if self.connections.len() >= self.max_connections {
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

    fn close_all(&mut self) {
        let tokens: Vec<Token> = self.connections.keys().copied().collect();
        for token in tokens {
            self.close(token, End::OriginReset);
        }
        for (listener, _) in self.listeners.values_mut() {
            let _ = self.poll.registry().deregister(listener);
        }
    }
}
