//! The reactor and its loop: one thread, asleep until something happens to
//! somebody.
//!
//! A turn: begin what may begin; sleep; then, for all that has happened
//! meanwhile, find the fetch that it happened to and let it go on. No call here
//! waits but the one to `poll`, and one that did would stop them all.

use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fetch_core::wait::{self, By};
use fetch_core::{FetchError, Options, Response};
use mio::event::Event;
use mio::{Events, Poll, Token};

use crate::fetch::{Fetch, Progress};
use crate::parent::{Others, Parent};
use crate::resolver::Resolver;
use crate::slots::{Slots, WAKER};
use crate::timers::Timers;
use crate::turn::{CHUNK, Turn};

/// How many fetches begin in one turn, so that a crowd at the door does not
/// keep those inside waiting.
const BEGINNINGS: usize = 128;

/// Runs a parent's fetches on the calling thread, until the parent is over.
/// There are `fetches` of them; room is made for no more than go on at once.
///
/// If there can be no reactor, or polling fails, that is the error of each fetch
/// that is not over.
pub fn run<'a>(options: &'a Options, fetches: usize, parent: &mut dyn Parent<'a>) {
    let ended = Reactor::new(options, fetches).and_then(|mut reactor| reactor.run(parent));
    if let Err(error) = ended {
        while let Some((id, _)) = parent.next_child() {
            let result = Err(polling(&error));
            wait::started(id);
            wait::finished(id, &result);
            parent.child_finished(id, result);
        }
    }
}

/// Everything that is unfinished, and what may continue it.
#[derive(Debug)]
struct Reactor<'a> {
    options: &'a Options,
    poll: Poll,
    fetches: Slots<Entry<'a>>,
    timers: Timers,
    resolver: Resolver,
    /// Those that can go on without a further event.
    ready: VecDeque<Token>,
    chunk: Box<[u8]>,
}

/// A fetch, and what the loop knows of it.
#[derive(Debug)]
struct Entry<'a> {
    id: usize,
    fetch: Fetch<'a>,
    /// The timer that is set for it.
    alarm: Instant,
    standing: Standing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It has nothing to do before something happens.
    Waiting,
    /// Something has happened, and it is about to run.
    Woken,
    /// It runs; or it could, and is in `ready`, since its last turn was too
    /// short.
    Running,
}

impl<'a> Reactor<'a> {
    fn new(options: &'a Options, fetches: usize) -> io::Result<Self> {
        let poll = Poll::new()?;
        Ok(Reactor {
            options,
            resolver: Resolver::new(Arc::clone(&options.resolver), poll.registry())?,
            poll,
            fetches: Slots::with_room_for(fetches.min(options.max_in_flight.get())),
            timers: Timers::default(),
            ready: VecDeque::new(),
            chunk: vec![0; CHUNK].into(),
        })
    }

    /// Turns until the parent is over.
    ///
    /// # Errors
    ///
    /// Polling failed. All that had begun has its error.
    fn run(&mut self, parent: &mut dyn Parent<'a>) -> io::Result<()> {
        // More events than this in one turn are handed out in the next.
        let mut events = Events::with_capacity(1024);
        loop {
            let more_to_begin = self.begin(parent);
            // Each has a deadline, and who has ended left nothing behind.
            debug_assert_eq!(self.timers.len(), self.fetches.len());
            if parent.is_over() {
                return Ok(());
            }
            let timeout = if more_to_begin || !self.ready.is_empty() {
                Some(Duration::ZERO)
            } else {
                self.timers.timeout(Instant::now())
            };
            // Here the thread stops, for all of them together.
            match self.poll.poll(&mut events, timeout) {
                // mio hands a signal on to us. No event, then, but time may
                // have passed, so it is a turn like any other.
                Err(error) if error.kind() == ErrorKind::Interrupted => events.clear(),
                Err(error) => {
                    self.end_all(&polling(&error), parent);
                    return Err(error);
                }
                Ok(()) => {}
            }
            // Read in each turn, events or not: neither a peer that always has
            // something to say nor a busy loop can put a timer off.
            self.fire_timers(Instant::now(), parent);
            for event in &events {
                match event.token() {
                    WAKER => self.take_answers(parent),
                    token => self.note(token, event),
                }
            }
            // As many as there are now: one that comes back is for next turn.
            for _ in 0..self.ready.len() {
                if let Some(token) = self.ready.pop_front() {
                    self.advance(token, parent, Fetch::on_ready);
                }
            }
        }
    }

    /// Begins some of the fetches that may begin. Says whether there may be
    /// more.
    fn begin(&mut self, parent: &mut dyn Parent<'a>) -> bool {
        for _ in 0..BEGINNINGS {
            if self.fetches.is_full() {
                return false;
            }
            let Some((id, request)) = parent.next_child() else {
                return false;
            };
            wait::started(id);
            let fetch = Fetch::new(request, self.options);
            let alarm = fetch.alarm();
            let token = self.fetches.insert(Entry {
                id,
                fetch,
                alarm,
                standing: Standing::Running,
            });
            self.timers.set(alarm, token);
            self.advance(token, parent, Fetch::start);
        }
        true
    }

    fn fire_timers(&mut self, now: Instant, parent: &mut dyn Parent<'a>) {
        while let Some(token) = self.timers.next_due(now) {
            self.wake(token, By::Timer);
            self.advance(token, parent, Fetch::on_timer);
        }
    }

    fn take_answers(&mut self, parent: &mut dyn Parent<'a>) {
        while let Some(answer) = self.resolver.next_answer() {
            self.wake(answer.token, By::Resolver);
            self.advance(answer.token, parent, |fetch, turn| {
                fetch.on_resolved(answer.addresses, turn)
            });
        }
    }

    /// An event has come. It only says who may go on; that one does so when it
    /// is its turn.
    fn note(&mut self, token: Token, event: &Event) {
        // Not found: the fetch has ended since this event was made (mio#219).
        let Some(entry) = self.fetches.get_mut(token) else {
            return;
        };
        entry.fetch.note(event);
        if entry.standing == Standing::Waiting && entry.fetch.can_go_on() {
            self.wake(token, By::Reactor);
            self.ready.push_back(token);
        }
    }

    fn wake(&mut self, token: Token, by: By) {
        if let Some(entry) = self.fetches.get_mut(token)
            && entry.standing == Standing::Waiting
        {
            wait::woken(entry.id, by);
            entry.standing = Standing::Woken;
        }
    }

    /// Lets a fetch go on, and then sees what has become of it.
    fn advance(
        &mut self,
        token: Token,
        parent: &mut dyn Parent<'a>,
        step: impl FnOnce(&mut Fetch<'a>, &mut Turn<'_>) -> Progress,
    ) {
        let Some(entry) = self.fetches.get_mut(token) else {
            return;
        };
        if entry.standing == Standing::Woken {
            wait::resumed(entry.id);
            entry.standing = Standing::Running;
        }
        let mut turn = Turn::new(self.poll.registry(), token, &self.resolver, &mut self.chunk);
        if let Some(result) = step(&mut entry.fetch, &mut turn).transpose() {
            self.finish(token, result, parent);
            return;
        }
        if entry.fetch.can_go_on() {
            self.ready.push_back(token);
        } else {
            entry.standing = Standing::Waiting;
            wait::waiting(entry.id, entry.fetch.waits_for());
        }
        let alarm = entry.fetch.alarm();
        if alarm != entry.alarm {
            self.timers.cancel(entry.alarm, token);
            self.timers.set(alarm, token);
            entry.alarm = alarm;
        }
    }

    /// A fetch has its result.
    fn finish(&mut self, token: Token, result: Outcome, parent: &mut dyn Parent<'a>) {
        if self.end(token, result, parent) == Others::Cancel {
            self.end_all(&FetchError::Cancelled, parent);
        }
    }

    /// Ends all fetches that have begun.
    fn end_all(&mut self, error: &FetchError, parent: &mut dyn Parent<'a>) {
        for token in self.fetches.tokens() {
            // What it answers is not asked: the others are ended already.
            self.end(token, Err(error.clone()), parent);
        }
    }

    /// Takes a fetch out of everything that knows it, and tells its parent.
    fn end(&mut self, token: Token, result: Outcome, parent: &mut dyn Parent<'a>) -> Others {
        let Some(entry) = self.fetches.remove(token) else {
            return Others::GoOn;
        };
        self.timers.cancel(entry.alarm, token);
        entry.fetch.close(self.poll.registry());
        wait::finished(entry.id, &result);
        parent.child_finished(entry.id, result)
    }
}

type Outcome = Result<Response, FetchError>;

fn polling(error: &io::Error) -> FetchError {
    FetchError::from_system("waiting for events", error)
}
