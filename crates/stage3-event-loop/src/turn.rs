//! What a fetch gets when it is its turn.

use std::time::Instant;

use mio::{Registry, Token};

use crate::resolver::Resolver;

/// The reads and the writes that a fetch may make in one turn.
///
/// A peer that sends faster than we read is never drained. With edge-triggered
/// events there are two ways to get that wrong: to read on until `WouldBlock`,
/// and starve everybody else; or to stop earlier and wait for an event, which
/// never comes (both in mio#45). So a fetch stops, and the loop *remembers*.
const CALLS: u32 = 8;

/// How much one read can bring, in bytes.
pub const CHUNK: usize = 16 * 1024;

/// What the loop lends a fetch for one turn. In stage 1 a thread has all of
/// this to itself.
#[derive(Debug)]
pub struct Turn<'t> {
    /// Where sockets are registered.
    pub registry: &'t Registry,
    /// The token by which the fetch is found again.
    pub token: Token,
    /// Who looks up names. Answers come back with the token.
    pub resolver: &'t Resolver,
    /// The time at which this turn began.
    pub now: Instant,
    /// Where to read to. One for the whole loop: a fetch that waits for bytes
    /// needs no room for them yet.
    pub chunk: &'t mut [u8],
    reads: u32,
    writes: u32,
}

impl<'t> Turn<'t> {
    /// A turn that begins now.
    pub fn new(
        registry: &'t Registry,
        token: Token,
        resolver: &'t Resolver,
        chunk: &'t mut [u8],
    ) -> Self {
        Turn {
            registry,
            token,
            resolver,
            now: Instant::now(),
            chunk,
            reads: CALLS,
            writes: CALLS,
        }
    }

    /// Whether another read is allowed in this turn. It counts as made.
    pub fn spend_read(&mut self) -> bool {
        spend(&mut self.reads)
    }

    /// Whether another write is allowed in this turn. It counts as made.
    pub fn spend_write(&mut self) -> bool {
        spend(&mut self.writes)
    }
}

fn spend(calls: &mut u32) -> bool {
    let allowed = *calls > 0;
    *calls = calls.saturating_sub(1);
    allowed
}
