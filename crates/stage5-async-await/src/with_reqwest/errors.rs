//! What reqwest's errors mean.
//!
//! reqwest and hyper tell a few errors apart by methods. The rest is found in
//! the chain of [`Error::source`], whose types and texts hyper may change in
//! any version; so the lock file pins the versions, and each row has a test
//! that provokes the error over a socket.
//!
//! | looked at, in this order | in the head | in the body |
//! | --- | --- | --- |
//! | reqwest `is_timeout` | `timeout` | `timeout` |
//! | reqwest `is_builder` | `invalid-request` | |
//! | our resolver's own error | `dns-failure`, `resources` | |
//! | hyper `is_parse_too_large` | `head-too-large` | |
//! | hyper `is_parse` | `invalid-head` | |
//! | reqwest `is_connect`, `io` refused | `connect-refused` | |
//! | hyper `is_incomplete_message` | `disconnected` | |
//! | `io` reset, aborted, broken pipe, end | `disconnected` | `body-truncated` |
//! | `io` invalid input or data | | `invalid-chunk` |
//! | anything else | `resources`, `io` | `resources`, `io` |

use std::error::Error;
use std::io::{self, ErrorKind};

use fetch_core::{FetchError, Options, Request};

/// How far a fetch had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// `execute` failed.
    Head,
    /// `chunk` failed.
    Body,
}

/// The error that the other stages report in the same place.
pub(super) fn judge(
    error: &reqwest::Error,
    phase: Phase,
    request: &Request,
    options: &Options,
) -> FetchError {
    if error.is_timeout() {
        return FetchError::Timeout {
            deadline: options.deadline,
        };
    }
    let reason = last_words(error);
    if error.is_builder() {
        return FetchError::InvalidRequest { reason };
    }
    if let Some(own) = find::<FetchError>(error) {
        return own.clone();
    }
    if hyper_says(error, hyper::Error::is_parse_too_large) {
        return FetchError::HeadTooLarge { reason };
    }
    if hyper_says(error, hyper::Error::is_parse) {
        return FetchError::InvalidHead { reason };
    }
    let io = find::<io::Error>(error);
    if let (true, Some(io)) = (error.is_connect(), io) {
        return FetchError::connecting(&request.authority(), io);
    }
    if phase == Phase::Head && hyper_says(error, hyper::Error::is_incomplete_message) {
        return FetchError::closed_before_head();
    }
    match (phase, io) {
        (Phase::Head, Some(io)) => FetchError::reading_head(io),
        (Phase::Body, Some(io))
            if matches!(io.kind(), ErrorKind::InvalidInput | ErrorKind::InvalidData) =>
        {
            FetchError::InvalidChunk { reason }
        }
        (Phase::Body, Some(io)) => FetchError::reading_body(io),
        (_, None) => FetchError::Io {
            reason: format!("in reqwest: {error}: {reason}"),
        },
    }
}

/// Whether one of hyper's errors in the chain is such. There can be two: why the
/// request was cancelled, below that it was.
fn hyper_says(error: &reqwest::Error, is_such: fn(&hyper::Error) -> bool) -> bool {
    chain(error)
        .filter_map(|error| error.downcast_ref())
        .any(is_such)
}

/// The first error of type `E` in the chain of sources.
fn find<E: Error + 'static>(error: &reqwest::Error) -> Option<&E> {
    chain(error).find_map(|error| error.downcast_ref())
}

/// What the innermost error says: the others only say around what it happened.
fn last_words(error: &reqwest::Error) -> String {
    chain(error)
        .last()
        .map(ToString::to_string)
        .unwrap_or_default()
}

fn chain(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let outermost: &(dyn Error + 'static) = error;
    std::iter::successors(Some(outermost), |&error| error.source())
}

#[cfg(test)]
mod tests;
