//! Why an experiment, or a process of one, could not be carried out.

use std::fmt;
use std::io;

/// What went wrong, in words for the reader of the terminal.
#[derive(Debug)]
pub(crate) struct Failure(String);

pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Failure(text.into())
    }
}

/// Says what was being done when something failed.
pub(crate) trait During<T> {
    fn during(self, doing: &str) -> Outcome<T>;
}

impl<T, E: fmt::Display> During<T> for Result<T, E> {
    fn during(self, doing: &str) -> Outcome<T> {
        self.map_err(|error| Failure(format!("{doing}: {error}")))
    }
}

impl<T> During<T> for Option<T> {
    fn during(self, doing: &str) -> Outcome<T> {
        self.ok_or_else(|| Failure(format!("{doing}: missing")))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure(error.to_string())
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Self {
        Failure(error.to_string())
    }
}

impl From<fetch_core::FetchError> for Failure {
    fn from(error: fetch_core::FetchError) -> Self {
        Failure(error.to_string())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
