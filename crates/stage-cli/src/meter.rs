//! What a run costs: time, threads, memory, unfinished work.

use std::fs::File;
use std::io::{self, IsTerminal, Read, Seek, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::record::{Heard, Recorder};

/// How often the number of threads is looked at.
const EVERY: Duration = Duration::from_millis(2);
/// Looks between two lines of progress.
const LOOKS_A_LINE: u32 = 100;

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
    /// thread counts until the kernel has taken it down. `None` where this is
    /// not measured.
    pub(crate) peak_threads: Option<u64>,
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
        let observer = thread::Builder::new()
            .name("observer".to_owned())
            .spawn(move || {
                let mut threads = Status::open();
                let mut progress = Progress::new(fetches);
                let mut peak = None;
                while stopped.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                    let now = threads
                        .as_mut()
                        .and_then(|status| status.number("Threads:"));
                    peak = peak.max(now.map(|all| all.saturating_sub(not_the_stages)));
                    progress.show(&recorder);
                }
                progress.clear();
                peak
            });

        self.recorder.begin(fetches);
        let began = Instant::now();
        let value = work();
        let wall = began.elapsed();
        let heard = self.recorder.end();

        drop(stop);
        // Without a thread to look with, the number of threads is not known.
        let peak_threads = observer
            .ok()
            .and_then(|observer| observer.join().ok().flatten());
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
    looks: u32,
    shown: bool,
    wanted: bool,
}

impl Progress {
    fn new(fetches: usize) -> Progress {
        Progress {
            fetches,
            looks: 0,
            shown: false,
            wanted: io::stderr().is_terminal()
                && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        }
    }

    /// To be called at each look. The first line comes only after a second.
    fn show(&mut self, recorder: &Recorder) {
        self.looks += 1;
        if self.wanted && self.looks >= 5 * LOOKS_A_LINE && self.looks % LOOKS_A_LINE == 0 {
            let (finished, unfinished) = recorder.progress();
            let all = self.fetches;
            let _ = write!(
                io::stderr(),
                "\r{finished} of {all} done, {unfinished} in flight\x1b[K"
            );
            self.shown = true;
        }
    }

    fn clear(&self) {
        if self.shown {
            let _ = write!(io::stderr(), "\r\x1b[K");
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
        assert!(many.peak_threads >= few.peak_threads.map(|few| few + 10));
        assert!(few.peak_threads >= Some(1));
    }

    #[test]
    fn memory_is_known() {
        assert!(peak_memory() > Some(100));
    }
}
