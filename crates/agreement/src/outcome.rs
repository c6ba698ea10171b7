//! Whether two outcomes are the same, and how they differ.

use bytes::Bytes;
use conformance::{ExpectedHeaders, ExpectedResponse, Fetched, compare};
use fetch_core::{ErrorKind, FetchError, Response};

/// Compares what every stage made of the same requests, each stage with all
/// others. `describe` says what was fetched, by index.
///
/// # Errors
///
/// Every request on which two stages disagree, in words.
pub fn all_agree(
    results: &[(&str, Vec<Fetched>)],
    describe: impl Fn(usize) -> String,
) -> Result<(), String> {
    let mut disagreements = Vec::new();
    for (position, (one, ones)) in results.iter().enumerate() {
        for (other, others) in &results[position + 1..] {
            for (index, pair) in ones.iter().zip(others).enumerate() {
                if let Err(why) = same(pair.0, pair.1) {
                    disagreements.push(format!(
                        "{}\n  {one}: {}\n  {other}: {}\n  {why}",
                        describe(index),
                        show(pair.0),
                        show(pair.1)
                    ));
                }
            }
        }
    }
    if disagreements.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} disagreements\n\n{}",
        disagreements.len(),
        disagreements.join("\n\n")
    ))
}

/// For responses that come in pieces: a head that breaks a rule or a limit may
/// be judged before its blank line or not. If not, and that line never comes,
/// it shows as disconnected or timeout. This makes all of them one kind.
pub fn allow_latitude(fetched: &mut Fetched) {
    if let Err(error) = fetched
        && matches!(
            error.kind(),
            ErrorKind::Disconnected | ErrorKind::Timeout | ErrorKind::HeadTooLarge
        )
    {
        *fetched = Err(FetchError::InvalidHead {
            reason: format!("or {}: {error}", error.kind()),
        });
    }
}

/// Everything of a response counts, but of an error only its kind.
fn same(one: &Fetched, other: &Fetched) -> Result<(), String> {
    match (one, other) {
        (Ok(one), Ok(other)) => compare(&exactly(one), other, 0),
        (Err(one), Err(other)) if one.kind() == other.kind() => Ok(()),
        (one, other) => Err(format!("{} and {}", outcome(one), outcome(other))),
    }
}

/// The expectation that only an equal response meets.
fn exactly(response: &Response) -> ExpectedResponse {
    let fields = response.headers().iter().map(|(name, value)| {
        let name = Bytes::copy_from_slice(name.as_ref());
        (name, Bytes::copy_from_slice(value.as_bytes()))
    });
    ExpectedResponse {
        status: response.status().as_u16(),
        version: response.version(),
        headers: ExpectedHeaders::All(fields.collect()),
        body: Some(response.body().clone()),
        request_target: None,
        host_header: None,
    }
}

fn outcome(fetched: &Fetched) -> &'static str {
    fetched
        .as_ref()
        .map_or_else(|error| error.kind().as_str(), |_| "ok")
}

/// An outcome for people: a long body is cut.
pub fn show(fetched: &Fetched) -> String {
    match fetched {
        Ok(response) => format!(
            "{} {:?} {:?} and {} bytes: {:?}",
            response.status().as_u16(),
            response.version(),
            response.headers(),
            response.body().len(),
            response.body().slice(..response.body().len().min(200)),
        ),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}
