//! Response heads: status line and fields (RFC 9112 §2, §4 and §5).

use std::borrow::Cow;

use bytes::{Buf, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Version};

use crate::{BodyDecoder, FetchError, Response, limits};

/// The final head of a response.
#[derive(Debug, Clone)]
pub struct ResponseHead {
    /// 100 to 999.
    pub status: StatusCode,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// The fields: values trimmed, folded lines joined with one space.
    pub headers: HeaderMap,
}

impl ResponseHead {
    /// Puts head and body together.
    pub fn into_response(self, body: BodyDecoder) -> Response {
        let mut response = Response::new(body.into_bytes());
        *response.status_mut() = self.status;
        *response.version_mut() = self.version;
        *response.headers_mut() = self.headers;
        response
    }
}

/// Finds the final head in the bytes that have come so far.
///
/// It keeps what must not be looked at twice, so that a head which arrives
/// byte by byte costs a time in proportion to its length.
#[derive(Debug, Default)]
pub struct HeadParser {
    /// Bytes at the front of the buffer in which no head ends. `None` until
    /// the present head has been judged once.
    examined: Option<usize>,
    /// Empty lines before the status line that are already out of the buffer.
    skipped: usize,
}

impl HeadParser {
    /// A parser for one response.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks for a complete head at the front of `buffer`, which holds all
    /// bytes received and not yet consumed.
    ///
    /// `Ok(None)`: not complete yet, read more. `Ok(Some)`: the head is out of
    /// the buffer, and what is left belongs to the body. Interim heads (1xx
    /// except 101) are taken out and dropped (RFC 9110 §15.2).
    ///
    /// # Errors
    ///
    /// `invalid-head` and `head-too-large`, as soon as that is certain.
    pub fn parse(&mut self, buffer: &mut BytesMut) -> Result<Option<ResponseHead>, FetchError> {
        loop {
            self.skip_empty_lines(buffer);
            // The first bytes are judged at once: a server that speaks another
            // protocol and then waits for us would otherwise cost the whole
            // deadline. After that, only an empty line is worth a new look.
            let worth_a_look = match self.examined {
                None => !buffer.is_empty(),
                Some(examined) => has_empty_line(buffer, examined),
            };
            let complete = if worth_a_look {
                parse_one(buffer)?
            } else {
                None
            };
            let Some((head, length)) = complete else {
                if self.skipped + buffer.len() >= limits::HEAD_BYTES {
                    return too_large("no end after 417,792 bytes");
                }
                // A lone CR may yet become an empty line to skip.
                let begun = !matches!(buffer.as_ref(), [] | [b'\r']);
                self.examined = begun.then_some(buffer.len());
                return Ok(None);
            };
            if self.skipped + length > limits::HEAD_BYTES {
                return too_large("more than 417,792 bytes");
            }
            buffer.advance(length);
            *self = Self::new();
            // 101 is final: what follows is another protocol.
            if !head.status.is_informational() || head.status == StatusCode::SWITCHING_PROTOCOLS {
                return Ok(Some(head));
            }
        }
    }

    /// Empty lines before the status line are let pass, as hyper lets them. (RFC
    /// 9112 §2.2 asks that of servers only, before a request line.) They leave
    /// the buffer here, so that a flood of them is scanned once.
    fn skip_empty_lines(&mut self, buffer: &mut BytesMut) {
        if self.examined.is_some() {
            return;
        }
        loop {
            let line_end = match buffer.as_ref() {
                [b'\n', ..] => 1,
                [b'\r', b'\n', ..] => 2,
                _ => return,
            };
            buffer.advance(line_end);
            self.skipped += line_end;
        }
    }
}

/// Whether an empty line ends beyond the first `examined` bytes. A bare LF ends
/// a line as well (RFC 9112 §2.2).
fn has_empty_line(buffer: &[u8], examined: usize) -> bool {
    // An empty line is at most LF CR LF, so two bytes of it may be old.
    let new = &buffer[examined.saturating_sub(2)..];
    new.windows(2).any(|pair| pair == b"\n\n") || new.windows(3).any(|three| three == b"\n\r\n")
}

/// One head and its length in bytes, or `None` if the bytes are a beginning.
fn parse_one(bytes: &[u8]) -> Result<Option<(ResponseHead, usize)>, FetchError> {
    let mut fields = [httparse::EMPTY_HEADER; limits::HEADERS];
    let mut parsed = httparse::Response::new(&mut fields);
    let mut rules = httparse::ParserConfig::default();
    rules.allow_obsolete_multiline_headers_in_responses(true);

    let length = match rules.parse_response(&mut parsed, bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => return too_large("more than 100 fields"),
        Err(error) => return invalid(describe(error)),
    };
    let (Some(code), Some(minor)) = (parsed.code, parsed.version) else {
        return invalid("no status line");
    };
    let Ok(status) = StatusCode::from_u16(code) else {
        return invalid(format!("status {code} is not between 100 and 999"));
    };
    let version = if minor == 1 {
        Version::HTTP_11
    } else {
        Version::HTTP_10
    };

    let mut headers = HeaderMap::with_capacity(parsed.headers.len());
    for field in parsed.headers.iter() {
        if field.name.len() > limits::HEADER_NAME_BYTES {
            return too_large("a field name over 65,535 bytes");
        }
        let Ok(name) = HeaderName::from_bytes(field.name.as_bytes()) else {
            return invalid(format!("{:?} is not a field name", field.name));
        };
        let Ok(value) = HeaderValue::from_bytes(&unfold(field.value)) else {
            return invalid(format!("the value of {name} has a control character"));
        };
        headers.append(name, value);
    }
    Ok(Some((
        ResponseHead {
            status,
            version,
            headers,
        },
        length,
    )))
}

/// A line that begins with white space continues the field before it; each
/// such fold becomes one space (RFC 9112 §5.2).
fn unfold(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\n') {
        return value.into();
    }
    let mut lines = value.split(|&byte| byte == b'\n');
    let mut joined = lines.next().unwrap_or_default().trim_ascii_end().to_vec();
    for line in lines {
        joined.push(b' ');
        joined.extend_from_slice(line.trim_ascii());
    }
    joined.into()
}

fn describe(error: httparse::Error) -> &'static str {
    match error {
        httparse::Error::Version => {
            "it does not begin with HTTP/1.0 or HTTP/1.1: is this an HTTP server?"
        }
        httparse::Error::Status => "the status line has no three-digit status",
        httparse::Error::HeaderName => {
            "a field name is not a token, or white space precedes its colon"
        }
        httparse::Error::HeaderValue => "a field value has a control character",
        httparse::Error::NewLine => "a carriage return without a line feed",
        httparse::Error::Token => "a character that is not allowed there",
        httparse::Error::TooManyHeaders => "too many fields",
    }
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, FetchError> {
    Err(FetchError::InvalidHead {
        reason: reason.into(),
    })
}

fn too_large<T>(reason: &str) -> Result<T, FetchError> {
    Err(FetchError::HeadTooLarge {
        reason: reason.to_owned(),
    })
}
