//! Moments at which somebody has to be woken, in the order in which they come.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use mio::Token;

/// The moments that are set, and whom each is for.
///
/// A tree and not a heap, because most timers never fire: a fetch ends before
/// its deadline, and its timer has to be found and taken out.
#[derive(Debug, Default)]
pub struct Timers {
    /// The token makes two that are set for the same instant two entries.
    set: BTreeSet<(Instant, Token)>,
}

impl Timers {
    /// Sets a timer.
    pub fn set(&mut self, at: Instant, whom: Token) {
        self.set.insert((at, whom));
    }

    /// Takes back a timer. Nothing happens if it has fired, or never was set.
    pub fn cancel(&mut self, at: Instant, whom: Token) {
        self.set.remove(&(at, whom));
    }

    /// Takes out a timer whose moment has come: at exactly `now` it has.
    pub fn next_due(&mut self, now: Instant) -> Option<Token> {
        if self.set.first()?.0 > now {
            return None;
        }
        self.set.pop_first().map(|(_, whom)| whom)
    }

    /// How long the loop may sleep: until the first timer, in whole
    /// milliseconds. `None` is for ever: nobody has a timer.
    ///
    /// Rounded up. Some systems count the timeout of their poll call in
    /// milliseconds; what is rounded down there wakes the loop too early, and
    /// it would turn with a timeout of zero until the moment has come.
    pub fn timeout(&self, now: Instant) -> Option<Duration> {
        const ALMOST_A_MILLISECOND: Duration = Duration::from_nanos(999_999);
        let (at, _) = self.set.first()?;
        let left = at.saturating_duration_since(now);
        let rounded = left.checked_add(ALMOST_A_MILLISECOND).unwrap_or(left);
        Some(rounded - Duration::from_nanos(u64::from(rounded.subsec_nanos() % 1_000_000)))
    }

    /// Whether no timer is set.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}
