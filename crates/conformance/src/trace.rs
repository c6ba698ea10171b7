//! Listening to the trace, for tests of what a stage says about its waits.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use fetch_core::wait;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

/// What was said while a test listened, in the order in which it was heard.
#[derive(Debug, Clone, Default)]
pub struct Trace(Vec<(usize, String)>);

/// Runs `run`, and gives its result and what the fetches say meanwhile, on
/// whatever thread.
///
/// # Panics
///
/// If the program has another global subscriber.
pub fn listen<T>(run: impl FnOnce() -> T) -> (T, Trace) {
    listen_with(|_, _| (), run)
}

/// As [`listen`], and calls `react` for each event, with the fetch and its
/// words, on the thread that emits it.
///
/// # Panics
///
/// If the program has another global subscriber. A panic of `react` is one of
/// the thread that emits the event.
pub fn listen_with<T>(
    react: impl Fn(usize, &str) + Send + Sync + 'static,
    run: impl FnOnce() -> T,
) -> (T, Trace) {
    // Workers and resolvers are not this thread, so the subscriber has to be
    // everybody's, and tests take turns with it.
    static TURN: Mutex<()> = Mutex::new(());
    static SUBSCRIBE: Once = Once::new();

    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    SUBSCRIBE.call_once(|| {
        tracing::subscriber::set_global_default(Listener).expect("no other subscriber");
    });
    *present() = Some(Present {
        heard: Vec::new(),
        react: Arc::new(react),
    });
    let result = run();
    let heard = present().take().map(|present| present.heard);
    (result, Trace(heard.unwrap_or_default()))
}

impl Trace {
    /// What one fetch said, such as `["started", "waiting connect", …]`.
    pub fn of(&self, fetch: usize) -> Vec<&str> {
        let of_this = self.0.iter().filter(|(id, _)| *id == fetch);
        of_this.map(|(_, words)| words.as_str()).collect()
    }

    /// The last `count` things that one fetch said, or all if they are fewer.
    pub fn end_of(&self, fetch: usize, count: usize) -> Vec<&str> {
        let mut all = self.of(fetch);
        all.split_off(all.len().saturating_sub(count))
    }

    /// When, among all that was said, a fetch first said these words.
    pub fn position(&self, fetch: usize, words: &str) -> Option<usize> {
        let is_it = |(id, said): &(usize, String)| *id == fetch && said == words;
        self.0.iter().position(is_it)
    }

    /// Whether one fetch told its story in the order of [`fetch_core::wait`]:
    /// each wait is said once, ended by somebody, and followed by running on.
    ///
    /// # Errors
    ///
    /// The story, in words, if it is not in that order.
    pub fn check_order(&self, fetch: usize) -> Result<(), String> {
        let said = self.of(fetch);
        let words = said.iter().filter_map(|words| words.split(' ').next());
        let words: Vec<&str> = words.collect();
        // Who is cancelled may be taken away in the middle of a wait.
        let cancelled = said.last() == Some(&"finished cancelled");
        let in_order = match &words[..] {
            // Those that queued first.
            ["waiting", "woken", "started", waits @ .., "finished"]
            | ["started", waits @ .., "finished"] => are_waits(waits, cancelled),
            ["waiting", "finished"] | ["waiting", "woken", "finished"] => cancelled,
            _ => false,
        };
        if in_order {
            Ok(())
        } else {
            Err(format!("fetch {fetch} said {said:?}"))
        }
    }
}

/// Whether all waits were ended, and all but the last of one that is cancelled.
fn are_waits(words: &[&str], cancelled: bool) -> bool {
    let whole = ["waiting", "woken", "resumed"];
    let mut waits = words.chunks(whole.len()).peekable();
    while let Some(wait) = waits.next() {
        let last_of_cancelled = cancelled && waits.peek().is_none();
        if wait != whole && !(last_of_cancelled && whole.starts_with(wait)) {
            return false;
        }
    }
    true
}

type Reaction = dyn Fn(usize, &str) + Send + Sync;

/// The test that listens at present.
struct Present {
    heard: Vec<(usize, String)>,
    react: Arc<Reaction>,
}

fn present() -> MutexGuard<'static, Option<Present>> {
    static PRESENT: Mutex<Option<Present>> = Mutex::new(None);
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Listener;

impl Subscriber for Listener {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let Some(fetch) = fields.fetch else {
            return;
        };
        let words = format!("{} {}", fields.message, fields.detail);
        let words = words.trim_end();
        let react = match present().as_mut() {
            None => return,
            Some(present) => {
                present.heard.push((fetch, words.to_owned()));
                Arc::clone(&present.react)
            }
        };
        // Without the lock: it may panic, or take its time.
        react(fetch, words);
    }

    // No span is ever enabled.
    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }
    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Fields {
    fetch: Option<usize>,
    message: String,
    /// The value of `on`, `by` or `outcome`: no event has two of them.
    detail: String,
}

impl Visit for Fields {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "fetch" {
            self.fetch = usize::try_from(value).ok();
        }
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        value.clone_into(&mut self.detail);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.message = format!("{value:?}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fetch_core::FetchError;
    use fetch_core::wait::{By, On};

    fn wait_once(on: On, by: By) {
        wait::waiting(0, on);
        wait::woken(0, by);
        wait::resumed(0);
    }

    #[test]
    fn all_threads_are_heard_and_stories_kept_apart() {
        let ((), trace) = listen(|| {
            wait::started(0);
            let other = std::thread::spawn(|| wait::started(1));
            other.join().expect("it only speaks");
            wait_once(On::Connect, By::Reactor);
            wait::finished(0, &Ok(()));
        });
        let story = [
            "started",
            "waiting connect",
            "woken reactor",
            "resumed",
            "finished ok",
        ];
        assert_eq!(trace.of(0), story);
        assert_eq!(trace.end_of(0, 2), story[3..]);
        assert_eq!(trace.of(1), ["started"]);
        assert_eq!(trace.position(1, "started"), Some(1));
        assert_eq!(trace.check_order(0), Ok(()));
        assert!(trace.check_order(1).is_err(), "it did not finish");
    }

    #[test]
    fn a_queue_comes_before_the_start() {
        let ((), trace) = listen(|| {
            wait::waiting(0, On::Queue);
            wait::woken(0, By::Worker);
            wait::started(0);
            wait_once(On::Readable, By::Kernel);
            wait::finished(0, &Ok(()));
            wait::waiting(1, On::Queue);
            wait::finished::<()>(1, &Err(FetchError::Cancelled));
        });
        assert_eq!(trace.check_order(0), Ok(()));
        assert_eq!(trace.check_order(1), Ok(()));
    }

    #[test]
    fn only_who_is_cancelled_ends_in_the_middle_of_a_wait() {
        let ((), trace) = listen(|| {
            let failed = FetchError::connecting("somewhere", &std::io::Error::other("no"));
            for (id, error) in [FetchError::Cancelled, failed].into_iter().enumerate() {
                wait::started(id);
                wait::waiting(id, On::Readable);
                wait::finished::<()>(id, &Err(error));
            }
        });
        assert_eq!(trace.check_order(0), Ok(()));
        assert!(trace.check_order(1).is_err());
    }

    #[test]
    fn a_wait_that_nobody_ends_is_out_of_order() {
        let ((), trace) = listen(|| {
            wait::started(0);
            wait::waiting(0, On::Connect);
            wait_once(On::Readable, By::Reactor);
            wait::finished(0, &Ok(()));
        });
        assert!(trace.check_order(0).is_err());
    }
}
