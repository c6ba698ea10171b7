//! Who hears the events of [`fetch_core::wait`], and writes down the times.
//!
//! The whole subscriber is here: it hears one target and knows no spans, so
//! that `tracing-subscriber` has nothing to add to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::wait;
use tracing::span;
use tracing::subscriber::Interest;
use tracing::{Event, Metadata, Subscriber};

use crate::story::{Fields, Moment, Story, Thread, What};

/// Hears the events and keeps what was asked for. Cheap to clone: all clones
/// are one.
#[derive(Clone)]
pub(crate) struct Recorder {
    /// Without it, only the start and the end of a fetch are kept.
    keep_story: bool,
    present: Arc<Mutex<Present>>,
}

/// The run that goes on at present.
struct Present {
    began: Instant,
    /// By the fetch's id in the trace: its place in the call to the stage.
    fetches: Vec<Span>,
    unfinished: usize,
    finished: usize,
    peak_unfinished: usize,
    story: Story,
}

/// When a fetch began and how long it took.
#[derive(Clone, Copy, Default)]
struct Span {
    started: Option<Instant>,
    elapsed: Option<Duration>,
}

/// What is known of a run after its end.
pub(crate) struct Heard {
    /// How long each fetch took; zero for one that never started.
    pub(crate) elapsed: Vec<Duration>,
    pub(crate) peak_unfinished: usize,
    pub(crate) story: Story,
}

impl Recorder {
    pub(crate) fn new(keep_story: bool) -> Recorder {
        Recorder {
            keep_story,
            present: Arc::new(Mutex::new(Present::new(0))),
        }
    }

    /// A run of `fetches` fetches begins.
    pub(crate) fn begin(&self, fetches: usize) {
        *self.present() = Present::new(fetches);
    }

    /// Ends the run and gives what was heard of it.
    pub(crate) fn end(&self) -> Heard {
        let mut run = std::mem::replace(&mut *self.present(), Present::new(0));
        // Two threads may get the lock in another order than they read the
        // clock. What one event led to has a later time in any case.
        run.story.moments.sort_by_key(|moment| moment.at);
        let elapsed = run
            .fetches
            .iter()
            .map(|span| span.elapsed.unwrap_or_default());
        Heard {
            elapsed: elapsed.collect(),
            peak_unfinished: run.peak_unfinished,
            story: run.story,
        }
    }

    /// How many fetches are over, and how many are under way.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let run = self.present();
        (run.finished, run.unfinished)
    }

    fn present(&self) -> MutexGuard<'_, Present> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Present {
    fn new(fetches: usize) -> Present {
        Present {
            began: Instant::now(),
            fetches: vec![Span::default(); fetches],
            unfinished: 0,
            finished: 0,
            peak_unfinished: 0,
            story: Story::default(),
        }
    }

    /// What does not belong to a fetch of this run, such as the last word of a
    /// resolver's thread that outlived its fetch, is dropped.
    fn hear(&mut self, fetch: usize, what: What, now: Instant, thread: Option<Thread>) {
        let Some(span) = self.fetches.get_mut(fetch) else {
            return;
        };
        match (&what, span.started, span.elapsed) {
            (What::Started, None, _) => {
                span.started = Some(now);
                self.unfinished += 1;
                self.peak_unfinished = self.peak_unfinished.max(self.unfinished);
            }
            (What::Finished { .. }, Some(started), None) => {
                span.elapsed = Some(now.saturating_duration_since(started));
                self.unfinished -= 1;
                self.finished += 1;
            }
            // Among them the end of a fetch that was cancelled before its turn.
            _ => {}
        }
        if let Some(thread) = thread {
            let at = now.saturating_duration_since(self.began);
            self.story.push(Moment {
                at,
                thread,
                fetch,
                what,
            });
        }
    }
}

impl Subscriber for Recorder {
    /// Asked once for each place in the code that can emit something.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if self.enabled(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let (Some(fetch), Some(what)) = (fields.fetch, fields.what()) else {
            return;
        };
        let times_it = matches!(what, What::Started | What::Finished { .. });
        if !self.keep_story && !times_it {
            return;
        }
        let thread = self.keep_story.then(|| {
            let thread = thread::current();
            (thread.id(), thread.name().map(str::to_owned))
        });
        // Before the lock: how long others hold it is not the fetch's time.
        let now = Instant::now();
        self.present().hear(fetch, what, now, thread);
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

#[cfg(test)]
mod tests {
    use super::*;
    use fetch_core::FetchError;
    use fetch_core::wait::{By, On};

    fn hear(keep_story: bool, fetches: usize, events: impl FnOnce()) -> Heard {
        let recorder = Recorder::new(keep_story);
        recorder.begin(fetches);
        tracing::subscriber::with_default(recorder.clone(), events);
        recorder.end()
    }

    #[test]
    fn a_fetch_lasts_from_its_start_to_its_end() {
        let heard = hear(false, 2, || {
            wait::started(1);
            wait::waiting(1, On::Readable);
            thread::sleep(Duration::from_millis(5));
            wait::finished(1, &Ok(()));
        });
        assert!(heard.elapsed[1] >= Duration::from_millis(5));
        assert_eq!(heard.elapsed[0], Duration::ZERO, "it never started");
        assert_eq!(heard.peak_unfinished, 1);
        assert!(heard.story.moments.is_empty(), "nobody asked for the story");
    }

    #[test]
    fn the_story_is_kept_in_order() {
        let heard = hear(true, 1, || {
            wait::started(0);
            wait::waiting(0, On::Connect);
            wait::woken(0, By::Reactor);
            wait::resumed(0);
            wait::finished::<()>(0, &Err(FetchError::Cancelled));
        });
        let story: Vec<&What> = heard.story.moments.iter().map(|m| &m.what).collect();
        let (on, by) = ("connect".to_owned(), "reactor".to_owned());
        let outcome = "cancelled".to_owned();
        let expected = [
            &What::Started,
            &What::Waiting { on },
            &What::Woken { by },
            &What::Resumed,
            &What::Finished { outcome },
        ];
        assert_eq!(story, expected);
    }

    #[test]
    fn the_story_goes_by_the_clock() {
        let recorder = Recorder::new(true);
        recorder.begin(2);
        let began = recorder.present().began;
        for (fetch, ms) in [(0, 2), (1, 1)] {
            let now = began + Duration::from_millis(ms);
            let thread = Some((thread::current().id(), None));
            recorder.present().hear(fetch, What::Started, now, thread);
        }
        let story = recorder.end().story.moments;
        let order: Vec<usize> = story.iter().map(|moment| moment.fetch).collect();
        assert_eq!(order, [1, 0]);
    }

    #[test]
    fn stray_and_repeated_events_do_not_upset_the_counts() {
        let heard = hear(false, 1, || {
            wait::finished(0, &Ok(()));
            wait::started(7);
            wait::started(0);
            wait::started(0);
            wait::finished(0, &Ok(()));
            wait::finished(0, &Ok(()));
        });
        assert_eq!(heard.peak_unfinished, 1);
    }
}
