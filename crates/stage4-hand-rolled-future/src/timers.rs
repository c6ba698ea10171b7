//! Moments for which somebody waits.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use fetch_core::wait::{self, By};

use crate::reactor::{Reactor, Wake};

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

    /// Takes the timer back, and says whether it still waited.
    fn forget(&mut self) -> bool {
        let Some(key) = self.key.take() else {
            return true;
        };
        // The waker is dropped after the borrow.
        let waiting = self.reactor.timers().waiting.remove(&key);
        waiting.is_some()
    }
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.is_over() {
            if !self.forget() {
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
        let waiting = timers.waiting.entry(key).or_insert_with(|| Waiting {
            fetch: *fetch,
            waker: cx.waker().clone(),
        });
        waiting.waker.clone_from(cx.waker());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.forget();
    }
}
