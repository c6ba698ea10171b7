//! One fetch's line in the trace, from `started` to `finished`.

use fetch_core::FetchError;
use fetch_core::wait;

/// Says that a fetch has begun, and sees to it that its end is told as well.
///
/// A future can end without ever running again: it is dropped. Only a value
/// that is dropped with it can tell.
#[derive(Debug)]
pub struct Lane {
    fetch: usize,
    finished: bool,
}

impl Lane {
    /// Fetch `fetch` has its place in flight.
    pub fn start(fetch: usize) -> Self {
        wait::started(fetch);
        Lane {
            fetch,
            finished: false,
        }
    }

    /// It has its result.
    pub fn finish<T>(&mut self, result: &Result<T, FetchError>) {
        self.finished = true;
        wait::finished(self.fetch, result);
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        if !self.finished {
            wait::finished(self.fetch, &Err::<(), _>(FetchError::Cancelled));
        }
    }
}
