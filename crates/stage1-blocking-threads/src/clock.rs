//! The deadline of one fetch.
//!
//! A call that blocks takes a timeout of its own, and knows nothing of the calls
//! before it: a server that sends one byte now and then would reset such a
//! timeout each time. So every call is given what is *left* of one deadline.

use std::time::{Duration, Instant};

use fetch_core::{FetchError, Options};

/// When a fetch must be over.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    deadline: Duration,
    end: Instant,
}

impl Clock {
    /// Starts now.
    pub fn start(options: &Options) -> Self {
        Clock {
            deadline: options.deadline,
            end: options.deadline_from(Instant::now()),
        }
    }

    /// The time that is left, never zero.
    ///
    /// # Errors
    ///
    /// `timeout`, if none is left.
    pub fn remaining(&self) -> Result<Duration, FetchError> {
        let remaining = self.end.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Err(FetchError::Timeout {
                deadline: self.deadline,
            });
        }
        Ok(remaining)
    }
}
