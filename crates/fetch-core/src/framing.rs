//! How the end of a body is found (RFC 9112 §6.3).

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderValue, Method, StatusCode, Version};

use crate::{FetchError, ResponseHead};

/// How the body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// There is no body, whatever the fields say.
    NoBody,
    /// After this many bytes.
    Length(u64),
    /// With the chunk of size zero and its trailers (RFC 9112 §7.1).
    Chunked,
    /// With the connection (RFC 9112 §6.3, last rule).
    ToClose,
}

impl Framing {
    /// Decides the framing of the response to a request with `method`.
    ///
    /// The rules of RFC 9112 §6.3 in their order; where it leaves a choice,
    /// hyper's.
    ///
    /// # Errors
    ///
    /// `invalid-head` for a Transfer-Encoding in HTTP/1.0 and for lengths that
    /// are no number or contradict each other; `head-too-large` for a length
    /// above 2^64 − 3.
    pub fn of(method: &Method, head: &ResponseHead) -> Result<Framing, FetchError> {
        let no_body = *method == Method::HEAD
            || matches!(
                head.status,
                StatusCode::SWITCHING_PROTOCOLS | StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
            );
        if no_body {
            return Ok(Framing::NoBody);
        }
        if let Some(codings) = head.headers.get_all(TRANSFER_ENCODING).iter().next_back() {
            // Two ways to read one message are how requests are smuggled: 1.0
            // does not know this field (RFC 9112 §6.1).
            if head.version == Version::HTTP_10 {
                return invalid("Transfer-Encoding in an HTTP/1.0 response");
            }
            return Ok(if ends_in_chunked(codings) {
                Framing::Chunked
            } else {
                Framing::ToClose
            });
        }
        match content_length(&head.headers)? {
            Some(length) => Ok(Framing::Length(length)),
            None => Ok(Framing::ToClose),
        }
    }
}

/// Only the last coding decides: `gzip, chunked` is chunked, and what is inside
/// the chunks is the caller's; `chunked, gzip` ends with the connection.
fn ends_in_chunked(codings: &HeaderValue) -> bool {
    codings
        .to_str()
        .is_ok_and(|text| text.rsplit(',').next().is_some_and(is_chunked))
}

fn is_chunked(coding: &str) -> bool {
    coding.trim().eq_ignore_ascii_case("chunked")
}

/// The one length that all Content-Length fields agree on: `5, 5` and a
/// repeated field count once (RFC 9112 §6.3, rule 5).
fn content_length(headers: &HeaderMap) -> Result<Option<u64>, FetchError> {
    /// hyper keeps the two values above for its own marks.
    const LARGEST: u64 = u64::MAX - 2;

    let mut agreed = None;
    for field in headers.get_all(CONTENT_LENGTH) {
        let Ok(text) = field.to_str() else {
            return invalid("Content-Length is not text");
        };
        for part in text.split(',') {
            let Some(length) = parse_length(part.trim()) else {
                return invalid(format!("Content-Length {part:?} is not a number of bytes"));
            };
            if agreed.is_some_and(|other| other != length) {
                return invalid(format!(
                    "two different Content-Lengths, the second is {length}"
                ));
            }
            agreed = Some(length);
        }
    }
    match agreed {
        Some(length) if length > LARGEST => Err(FetchError::HeadTooLarge {
            reason: format!("Content-Length {length} is beyond what can be counted"),
        }),
        agreed => Ok(agreed),
    }
}

/// Digit by digit, because `u64::from_str` takes a leading `+` (RFC 9110 §8.6
/// wants digits only).
fn parse_length(digits: &str) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.bytes().try_fold(0u64, |length, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        length.checked_mul(10)?.checked_add(digit)
    })
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, FetchError> {
    Err(FetchError::InvalidHead {
        reason: reason.into(),
    })
}
