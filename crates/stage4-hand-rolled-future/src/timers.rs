//! Moments for which somebody waits.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use fetch_core::wait::{self, By};

use crate::reactor::Reactor;
use crate::waits::Wake;

/// All moments, the earliest first.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    waiting: BTreeMap<Key, Waiting>,
    last_id: u64,
}

/// The number tells two timers of the same moment apart.
type Key = (Instant, u64);

#[derive(Debug)]
struct Waiting {
    /// Whose wait it is, for the trace.
    fetch: usize,
    waker: Waker,
}

impl Timers {
    /// How long the reactor may wait; `None` if no timer limits it.
    ///
    /// Rounded up to whole milliseconds: not every system's poller counts
    /// finer, and one that rounds down comes back too early, finds nothing due,
    /// and is asked again in a tight loop.
    pub(crate) fn until_next(&self, now: Instant) -> Option<Duration> {
        let ((moment, _), _) = self.waiting.first_key_value()?;
        let wait = moment.saturating_duration_since(now);
        let milliseconds = wait.subsec_nanos().div_ceil(1_000_000);
        Some(Duration::from_secs(wait.as_secs()) + Duration::from_millis(milliseconds.into()))
    }

    /// Takes out the timers whose moment has come, those of exactly now too.
    pub(crate) fn take_due(&mut self, now: Instant, due: &mut Vec<Wake>) {
        while let Some(first) = self.waiting.first_entry() {
            let (moment, _) = *first.key();
            if moment > now {
                break;
            }
            let Waiting { fetch, waker } = first.remove();
            due.push(Wake {
                fetch,
                by: By::Timer,
                waker,
            });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    fn new_key(&mut self, moment: Instant) -> Key {
        self.last_id += 1;
        (moment, self.last_id)
    }
}

/// Done at a moment: at the first poll at or after it, and the reactor sees to
/// it that there is one.
#[derive(Debug)]
pub struct Sleep {
    reactor: Rc<Reactor>,
    fetch: usize,
    moment: Instant,
    /// Its place among the timers, once it has waited.
    key: Option<Key>,
}

impl Sleep {
    /// Done at `moment`, which may have passed. Nothing is registered before
    /// the first poll. `fetch` is whose wait it is, for the trace.
    pub fn until(reactor: &Rc<Reactor>, fetch: usize, moment: Instant) -> Self {
        Sleep {
            reactor: Rc::clone(reactor),
            fetch,
            moment,
            key: None,
        }
    }

    /// Whether the moment has passed, by the clock and not by the timer.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.moment
    }

    /// Takes the timer back, and says whether it had fired.
    fn forget(&mut self) -> bool {
        let Some(key) = self.key.take() else {
            return false;
        };
        // The waker is dropped after the borrow.
        let waiting = self.reactor.timers().waiting.remove(&key);
        waiting.is_none()
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over() {
            if self.forget() {
                wait::resumed(self.fetch);
            }
            return Poll::Ready(());
        }
        let Sleep {
            reactor,
            fetch,
            moment,
            key,
        } = &mut *self;
        let mut timers = reactor.timers();
        let key = *key.get_or_insert_with(|| timers.new_key(*moment));
        // The latest waker counts, as everywhere: since the last poll this
        // future may have moved into another task (smol#167).
        let latest = Waiting {
            fetch: *fetch,
            waker: cx.waker().clone(),
        };
        let old = timers.waiting.insert(key, latest);
        // In this order: a waker may take anything along that it was the last
        // to keep, other timers too.
        drop(timers);
        drop(old);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timers(moments: &[Instant]) -> Timers {
        let mut timers = Timers::default();
        for (fetch, moment) in moments.iter().enumerate() {
            let key = timers.new_key(*moment);
            let waker = Waker::noop().clone();
            timers.waiting.insert(key, Waiting { fetch, waker });
        }
        timers
    }

    fn due(timers: &mut Timers, now: Instant) -> Vec<usize> {
        let mut due = Vec::new();
        timers.take_due(now, &mut due);
        due.iter().map(|wake| wake.fetch).collect()
    }

    #[test]
    fn due_are_those_of_now_and_before_the_earliest_first() {
        let now = Instant::now();
        let late = now + Duration::from_nanos(1);
        let early = now - Duration::from_millis(1);
        let mut timers = timers(&[now, late, early, now]);
        assert_eq!(due(&mut timers, now), [2, 0, 3]);
        assert_eq!(due(&mut timers, late), [1]);
        assert_eq!(timers.until_next(now), None);
    }

    #[test]
    fn waits_are_rounded_up_to_milliseconds() {
        let now = Instant::now();
        for (nanoseconds, milliseconds) in [
            (0, 0),
            (1, 1),
            (1_000_000, 1),
            (1_000_001, 2),
            (1_999_999_999, 2000),
        ] {
            let timers = timers(&[now + Duration::from_nanos(nanoseconds)]);
            let wait = timers.until_next(now);
            assert_eq!(wait, Some(Duration::from_millis(milliseconds)));
        }
        let passed = timers(&[now]);
        let later = now + Duration::from_secs(1);
        assert_eq!(passed.until_next(later), Some(Duration::ZERO));
    }
}
