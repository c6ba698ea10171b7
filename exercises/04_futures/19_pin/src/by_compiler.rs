//! An `async fn` that borrows from itself. Given.

use std::future::Future;

use crate::{REASON_AT, StartLine};

/// Finds the reason phrase, waits for `turn`, and gives the phrase.
///
/// `line` lives in the future that this returns, and so does `reason`, which
/// points into it. Nobody would notice in the source.
pub async fn reason(line: StartLine, turn: impl Future<Output = ()>) -> String {
    let reason = &line[REASON_AT..];
    turn.await;
    String::from_utf8_lossy(reason).trim_end().to_owned()
}
