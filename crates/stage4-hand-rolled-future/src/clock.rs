//! When a fetch must be over.

use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

use fetch_core::{FetchError, Options, Request};

/// The deadline of one fetch.
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

    /// The moment at which it is over.
    pub fn end(&self) -> Instant {
        self.end
    }

    /// When the next of `untried` addresses must have answered: each has an
    /// equal share of the time that is left, so that one which never answers
    /// leaves time for the next.
    pub fn share(&self, untried: usize) -> Instant {
        let now = Instant::now();
        let untried = u32::try_from(untried).unwrap_or(u32::MAX).max(1);
        // A sum of no more than `end`, which is an `Instant` already.
        now + self.end.saturating_duration_since(now) / untried
    }

    /// The deadline has passed.
    pub fn timeout(&self) -> FetchError {
        FetchError::Timeout {
            deadline: self.deadline,
        }
    }

    /// No address of the host has answered; `last` is what became of the last
    /// one, if there was any.
    pub fn no_connection(&self, request: &Request, last: Option<io::Error>) -> FetchError {
        match last {
            Some(_) if Instant::now() >= self.end => self.timeout(),
            Some(error) => FetchError::connecting(&request.authority(), &error),
            None => FetchError::resolving(&request.host(), &ErrorKind::NotFound.into()),
        }
    }
}
