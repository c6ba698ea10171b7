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
    /// Rounded up. What is rounded down wakes the loop too early, with nothing
    /// due, and it turns with a timeout of zero until the moment has come.
    /// (mio rounds up too, where the system counts milliseconds.)
    pub fn timeout(&self, now: Instant) -> Option<Duration> {
        const ALMOST_A_MILLISECOND: Duration = Duration::from_nanos(999_999);
        let (at, _) = self.set.first()?;
        let left = at.saturating_duration_since(now);
        let rounded = left.checked_add(ALMOST_A_MILLISECOND).unwrap_or(left);
        let milliseconds = u64::try_from(rounded.as_millis()).unwrap_or(u64::MAX);
        Some(Duration::from_millis(milliseconds))
    }

    /// How many are set.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn fire_at_exactly_their_moment_in_order() {
        let (mut timers, start) = (Timers::default(), Instant::now());
        timers.set(start + MILLISECOND, Token(2));
        timers.set(start, Token(3));
        timers.set(start, Token(1));

        assert_eq!(timers.next_due(start), Some(Token(1)));
        assert_eq!(timers.next_due(start), Some(Token(3)));
        assert_eq!(timers.next_due(start), None);
        assert_eq!(timers.next_due(start + MILLISECOND), Some(Token(2)));
        assert_eq!(timers.next_due(start + MILLISECOND), None);
    }

    #[test]
    fn of_the_same_moment_are_cancelled_one_by_one() {
        let (mut timers, start) = (Timers::default(), Instant::now());
        timers.set(start, Token(1));
        timers.set(start, Token(2));
        timers.cancel(start, Token(1));
        timers.cancel(start, Token(7));
        assert_eq!(timers.next_due(start), Some(Token(2)));
    }

    #[test]
    fn timeout_is_rounded_up_and_never_in_the_past() {
        let (mut timers, start) = (Timers::default(), Instant::now());
        assert_eq!(timers.timeout(start), None);

        timers.set(start + MILLISECOND + Duration::from_nanos(1), Token(1));
        assert_eq!(timers.timeout(start), Some(2 * MILLISECOND));
        let almost = start + MILLISECOND;
        assert_eq!(timers.timeout(almost), Some(MILLISECOND));
        let due = almost + Duration::from_nanos(1);
        assert_eq!(timers.timeout(due), Some(Duration::ZERO));
        assert_eq!(timers.timeout(due + MILLISECOND), Some(Duration::ZERO));
    }
}
