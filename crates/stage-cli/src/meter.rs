//! What a run costs: time, threads, memory, unfinished work.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::record::{Heard, Recorder};
use crate::screen::Screen;

/// How often the number of threads is looked at.
const EVERY: Duration = Duration::from_millis(2);
/// A run of fewer looks than this may have had threads that nobody saw.
const ENOUGH_LOOKS: u32 = 5;
/// Looks between two lines of progress.
const LOOKS_A_LINE: u32 = 100;

pub(crate) const NOT_MEASURED_HERE: &str = "not measured on this system";
const TOO_SHORT: &str = "not seen, the run was too short";
const NO_OBSERVER: &str = "not seen, no thread was left to look";

/// Measures runs, one after the other.
pub(crate) struct Meter {
    recorder: Recorder,
    origin_is_here: bool,
}

/// What one run cost.
pub(crate) struct Cost {
    pub(crate) wall: Duration,
    /// The most threads seen at once: all of the process but those that are
    /// not the stage's (the one that looks, and an embedded origin server). A
    /// thread counts until the kernel has taken it down. Or why there is no
    /// such number.
    pub(crate) peak_threads: Result<u64, &'static str>,
    /// The most memory the process has held in RAM since its start, in KiB.
    /// `None` where this is not measured.
    pub(crate) peak_memory: Option<u64>,
    pub(crate) origin_is_here: bool,
    pub(crate) heard: Heard,
}

impl Meter {
    /// Begins to listen to the events of this process.
    pub(crate) fn start(keep_story: bool, origin_is_here: bool) -> Meter {
        let recorder = Recorder::new(keep_story);
        // It fails only if somebody listens already, and nobody does: a stage's
        // main is nothing but the call that led here.
        let _ = tracing::subscriber::set_global_default(recorder.clone());
        Meter {
            recorder,
            origin_is_here,
        }
    }

    /// Does `work`, in which the stage makes `fetches` fetches.
    pub(crate) fn measure<T>(&self, fetches: usize, work: impl FnOnce() -> T) -> (T, Cost) {
        let (stop, stopped) = mpsc::channel::<()>();
        let recorder = self.recorder.clone();
        let not_the_stages = 1 + u64::from(self.origin_is_here);
        // It ends when `stop` is dropped, below; nobody cancels it otherwise; it is
        // joined for the peak that it has seen; there is one.
        let observer = thread::Builder::new()
            .name("observer".to_owned())
            .spawn(move || {
                let mut threads = Status::open();
                let mut progress = Progress::new(fetches);
                let mut peak = None;
                let mut looks = 0;
                while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                    looks += 1;
                    let now = threads
                        .as_mut()
                        .and_then(|status| status.number("Threads:"));
                    peak = peak.max(now.map(|all| all.saturating_sub(not_the_stages)));
                    progress.show(looks, &recorder);
                }
                progress.clear();
                if threads.is_none() {
                    Err(NOT_MEASURED_HERE)
                } else if looks < ENOUGH_LOOKS {
                    Err(TOO_SHORT)
                } else {
                    peak.ok_or(NOT_MEASURED_HERE)
                }
            });

        self.recorder.begin(fetches);
        let began = Instant::now();
        let value = work();
        let wall = began.elapsed();
        let heard = self.recorder.end();

        drop(stop);
        let peak_threads = match observer.map(JoinHandle::join) {
            Ok(Ok(peak)) => peak,
            _ => Err(NO_OBSERVER),
        };
        let cost = Cost {
            wall,
            peak_threads,
            peak_memory: peak_memory(),
            origin_is_here: self.origin_is_here,
            heard,
        };
        (value, cost)
    }
}

/// The most memory this process has held in RAM so far, in KiB.
fn peak_memory() -> Option<u64> {
    Status::open()?.number("VmHWM:")
}

/// What Linux says of this process (proc(5)), kept open so that it can be read
/// when the run has used up all descriptors.
struct Status(File);

impl Status {
    fn open() -> Option<Status> {
        if cfg!(target_os = "linux") {
            File::open("/proc/self/status").ok().map(Status)
        } else {
            None
        }
    }

    /// The number behind `name`, as of now: reading from the start makes the
    /// text anew.
    fn number(&mut self, name: &str) -> Option<u64> {
        let mut text = String::new();
        self.0.rewind().ok()?;
        self.0.read_to_string(&mut text).ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    }
}

/// A line that says how far a long run has come, on a terminal only.
struct Progress {
    fetches: usize,
    screen: Screen,
    shown: bool,
}

impl Progress {
    fn new(fetches: usize) -> Progress {
        Progress {
            fetches,
            screen: Screen::stderr(),
            shown: false,
        }
    }

    /// To be called at each look. The first line comes after a second.
    fn show(&mut self, looks: u32, recorder: &Recorder) {
        let due = looks >= 5 * LOOKS_A_LINE && looks.is_multiple_of(LOOKS_A_LINE);
        if due && self.screen.can_redraw() {
            let (finished, unfinished) = recorder.progress();
            let line = format!(
                "{finished} of {} done, {unfinished} in flight",
                self.fetches
            );
            self.screen.redraw(&line);
            self.shown = true;
        }
    }

    fn clear(&mut self) {
        if self.shown {
            self.screen.redraw("");
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn threads_of_the_work_are_counted() {
        let meter = Meter {
            recorder: Recorder::new(false),
            origin_is_here: false,
        };
        let (_, few) = meter.measure(0, || thread::sleep(Duration::from_millis(50)));
        let (_, many) = meter.measure(0, || {
            thread::scope(|scope| {
                for _ in 0..20 {
                    scope.spawn(|| thread::sleep(Duration::from_millis(100)));
                }
            });
        });
        // Other tests have threads of their own meanwhile, but not twenty.
        let (Ok(few), Ok(many)) = (few.peak_threads, many.peak_threads) else {
            panic!("nothing was measured");
        };
        assert!(few >= 1 && many >= few + 10, "{few}, then {many}");
    }

    #[test]
    fn a_run_too_short_to_look_at_has_no_number() {
        let meter = Meter {
            recorder: Recorder::new(false),
            origin_is_here: false,
        };
        let ((), cost) = meter.measure(0, || ());
        assert_eq!(cost.peak_threads, Err(TOO_SHORT));
    }

    #[test]
    fn memory_is_known() {
        assert!(peak_memory() > Some(100));
    }
}
