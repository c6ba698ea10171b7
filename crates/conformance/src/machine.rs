//! What this process holds, counted by the operating system.

use std::time::{Duration, Instant};

/// What a fetch may leave behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holdings {
    /// Threads of this process.
    pub threads: usize,
    /// Open descriptors of this process.
    pub descriptors: usize,
}

impl Holdings {
    /// Whether this is no more than `other`, in each of its parts.
    pub fn within(self, other: Holdings) -> bool {
        self.threads <= other.threads && self.descriptors <= other.descriptors
    }
}

/// What is held now; `None` where we cannot count it (elsewhere than on Linux).
pub fn holdings() -> Option<Holdings> {
    // Listing the directory takes a descriptor itself: the same one each time.
    Some(Holdings {
        threads: entries("/proc/self/task")?,
        descriptors: entries("/proc/self/fd")?,
    })
}

/// Threads of this process now; `None` as for [`holdings`].
pub fn threads() -> Option<usize> {
    entries("/proc/self/task")
}

/// What `count` gives once it stays: a thread that has been joined is still the
/// system's for a moment, and would be taken for one that was there before.
pub fn at_rest<T: PartialEq>(count: impl Fn() -> Option<T>) -> Option<T> {
    let mut last = count();
    eventually(Duration::from_secs(10), || {
        std::thread::sleep(Duration::from_millis(100));
        let now = count();
        let stays = now == last;
        last = now;
        stays
    });
    last
}

/// Waits until `done`, at most `limit`. Says whether it came to that.
pub fn eventually(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    while !done() {
        if begun.elapsed() > limit {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

fn entries(directory: &str) -> Option<usize> {
    Some(std::fs::read_dir(directory).ok()?.count())
}
