//! The reactor: one thread waits for all connections, listeners and timers.
//!
//! A turn: poll; drive the exchanges that have an event, whose alarm is due,
//! or whose budget was spent in the last turn; accept. Accepting comes last
//! and new connections are counted as in flight only in the next turn, after
//! the events of the older ones and after a first look at all the new ones: a
//! client that gave up one connection and then opened another never has two in
//! flight, whichever of the two the system shows first.

mod accept;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use mio::net::TcpListener;
use mio::{Events, Interest, Poll, Token};
use socket2::SockRef;

use crate::exchange::{Context, Exchange, Turn};
use crate::journal::End;
use crate::script::Program;
use crate::state::State;

/// The token of the waker. Listeners have even tokens from 2, connections odd
/// ones; none is ever used twice, so a late event finds nothing.
pub(crate) const WAKER: Token = Token(0);

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
        let fresh = std::mem::take(&mut self.fresh);
        for token in &fresh {
            self.drive(*token);
        }
        for token in &fresh {
            if let Some(slot) = self.connections.get_mut(token) {
                slot.exchange.enter_flight(&self.state);
            }
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

    /// How long poll may wait. mio rounds up to what the system can express; cut
    /// to whole milliseconds, the last part of a wait would be a busy loop.
    fn timeout(&self) -> Option<Duration> {
        if !self.again.is_empty() || !self.fresh.is_empty() {
            return Some(Duration::ZERO);
        }
        let now = Instant::now();
        let may_accept = !self.accepting.is_empty() && !self.is_full();
        let accept = may_accept.then(|| self.accept_after.unwrap_or(now));
        let alarm = self.alarms.first().map(|(alarm, _)| *alarm);
        let next = accept.into_iter().chain(alarm).min()?;
        Some(next.saturating_duration_since(now))
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
