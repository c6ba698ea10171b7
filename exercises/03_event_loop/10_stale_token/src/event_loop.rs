//! The loop. Given: there is nothing to change here.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::time::Instant;

use fetch_core::{FetchError, Options, Request, Resolve, Response};
use mio::{Events, Poll, Token};
use stage3_event_loop::fetch::{Fetch, Progress};
use stage3_event_loop::resolver::Resolver;
use stage3_event_loop::slots::WAKER;
use stage3_event_loop::timers::Timers;
use stage3_event_loop::turn::{CHUNK, Turn};

use crate::Slots;

/// Fetches one after the other.
///
/// # Errors
///
/// The system has no descriptor left, or its poll call fails.
pub fn fetch_in_turn(
    requests: &[(Request, Options)],
    resolver: Arc<dyn Resolve>,
) -> io::Result<Vec<Result<Response, FetchError>>> {
    let poll = Poll::new()?;
    let resolver = Resolver::new(resolver, poll.registry())?;
    let mut event_loop = EventLoop {
        poll,
        resolver,
        fetches: Slots::new(),
        timers: Timers::default(),
        chunk: vec![0; CHUNK].into(),
    };
    let mut results = Vec::new();
    for (request, options) in requests {
        results.push(event_loop.run(request, options)?);
    }
    Ok(results)
}

struct EventLoop<'a> {
    poll: Poll,
    resolver: Resolver,
    fetches: Slots<Fetch<'a>>,
    timers: Timers,
    chunk: Box<[u8]>,
}

impl<'a> EventLoop<'a> {
    /// Begins one fetch, and turns until it has its result.
    fn run(
        &mut self,
        request: &'a Request,
        options: &'a Options,
    ) -> io::Result<Result<Response, FetchError>> {
        let fetch = Fetch::new(request, options);
        let deadline = fetch.alarm();
        // The token goes with every question, to the system and to the
        // resolver, and comes back with the answer.
        let token = self.fetches.insert(fetch);
        self.timers.set(deadline, token);
        let mut events = Events::with_capacity(64);
        let mut result = self.advance(token, Fetch::start);
        loop {
            if let Some(result) = result {
                // It is over: its slot is free. An answer from the resolver may
                // still be on its way.
                if let Some(fetch) = self.fetches.remove(token) {
                    fetch.close(self.poll.registry());
                }
                self.timers.cancel(deadline, token);
                return Ok(result);
            }
            // Here the thread sleeps.
            let timeout = self.timers.timeout(Instant::now());
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() == ErrorKind::Interrupted => events.clear(),
                result => result?,
            }
            result = self.hand_out(&events);
        }
    }

    /// Finds for each event the fetch that it is for. Gives a result, if one
    /// has it now.
    fn hand_out(&mut self, events: &Events) -> Option<Result<Response, FetchError>> {
        let mut result = None;
        while let Some(token) = self.timers.next_due(Instant::now()) {
            result = result.or(self.advance(token, Fetch::on_timer));
        }
        for event in events {
            if event.token() == WAKER {
                while let Some(answer) = self.resolver.next_answer() {
                    let addresses = answer.addresses;
                    let step = |fetch: &mut Fetch<'a>, turn: &mut Turn<'_>| {
                        fetch.on_resolved(addresses, turn)
                    };
                    result = result.or(self.advance(answer.token, step));
                }
                continue;
            }
            if let Some(fetch) = self.fetches.get_mut(event.token()) {
                fetch.note(event);
            }
            while result.is_none()
                && self
                    .fetches
                    .get_mut(event.token())
                    .is_some_and(|fetch| fetch.can_go_on())
            {
                result = self.advance(event.token(), Fetch::on_ready);
            }
        }
        result
    }

    /// Lets a fetch go on, if it is still there.
    fn advance(
        &mut self,
        token: Token,
        step: impl FnOnce(&mut Fetch<'a>, &mut Turn<'_>) -> Progress,
    ) -> Option<Result<Response, FetchError>> {
        let fetch = self.fetches.get_mut(token)?;
        let mut turn = Turn::new(self.poll.registry(), token, &self.resolver, &mut self.chunk);
        step(fetch, &mut turn).transpose()
    }
}
