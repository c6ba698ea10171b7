//! A request being received: is its head complete, is it whole, is it bad?

use crate::body::{BadBody, Body};

/// The longest request head accepted, in bytes (64 KiB).
pub const MAX_HEAD: usize = 64 << 10;

const MAX_FIELDS: usize = 256;

/// What has been received of one request.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// The first bytes as they came, up to `MAX_HEAD`.
    received: Vec<u8>,
    total: u64,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    /// So many bytes were searched for the head's end.
    Head {
        searched: usize,
    },
    Body(Head, Body),
    Bad(BadRequest),
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::Head { searched: 0 }
    }
}

/// A complete head.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Where it ends in the bytes received.
    length: usize,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BadRequest {
    Malformed,
    HeadTooLarge,
}

impl Request {
    /// Takes bytes from the connection. All are counted, also those after the
    /// request's end or after it turned out bad.
    pub(crate) fn feed(&mut self, input: &[u8]) {
        self.total += input.len() as u64;
        let before = self.received.len();
        let room = MAX_HEAD - before;
        self.received
            .extend_from_slice(&input[..input.len().min(room)]);
        match &mut self.progress {
            Progress::Head { searched } => {
                let searched = *searched;
                self.progress = self.find_head(searched, before, input);
            }
            Progress::Body(_, body) => {
                if let Err(BadBody) = body.feed(input) {
                    self.progress = Progress::Bad(BadRequest::Malformed);
                }
            }
            Progress::Bad(_) => {}
        }
    }

    /// The head, once it is complete and as long as the request is not bad.
    pub(crate) fn head(&self) -> Option<&Head> {
        match &self.progress {
            Progress::Body(head, _) => Some(head),
            _ => None,
        }
    }

    /// The head's bytes as they came.
    pub(crate) fn head_bytes(&self) -> &[u8] {
        let length = self.head().map_or(0, |head| head.length);
        &self.received[..length]
    }

    pub(crate) fn is_whole(&self) -> bool {
        matches!(&self.progress, Progress::Body(_, Body::Whole))
    }

    pub(crate) fn bad(&self) -> Option<BadRequest> {
        match self.progress {
            Progress::Bad(bad) => Some(bad),
            _ => None,
        }
    }

    /// The first bytes received, up to `MAX_HEAD`.
    pub(crate) fn received(&self) -> &[u8] {
        &self.received
    }

    /// All bytes received.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Looks for the empty line that ends a head, among the new bytes only:
    /// parsing anew at each byte would make a slow client a costly one.
    fn find_head(&self, searched: usize, before: usize, input: &[u8]) -> Progress {
        let received = &self.received[..];
        // Waiting for the end of something that is no request, as a TLS
        // handshake, would only keep its sender waiting.
        if !received.first().is_none_or(|first| is_token(*first)) {
            return Progress::Bad(BadRequest::Malformed);
        }
        let end = (searched..received.len()).find_map(|at| {
            let rest = &received[at..];
            let empty_line = [&b"\n\r\n"[..], b"\n\n"].into_iter();
            let mut found = empty_line.filter(|end| rest.starts_with(end));
            found.next().map(|end| at + end.len())
        });
        match end {
            Some(length) => match parse(&received[..length]) {
                Ok((head, mut body)) => match body.feed(&input[length - before..]) {
                    Ok(()) => Progress::Body(head, body),
                    Err(BadBody) => Progress::Bad(BadRequest::Malformed),
                },
                Err(bad) => Progress::Bad(bad),
            },
            None if received.len() == MAX_HEAD => Progress::Bad(BadRequest::HeadTooLarge),
            None => Progress::Head {
                searched: received.len().saturating_sub(2),
            },
        }
    }
}

fn parse(bytes: &[u8]) -> Result<(Head, Body), BadRequest> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut request = httparse::Request::new(&mut fields);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(BadRequest::HeadTooLarge),
        Ok(httparse::Status::Partial) | Err(_) => return Err(BadRequest::Malformed),
    }
    let body = framing(request.headers)?;
    let head = Head {
        method: request.method.unwrap_or_default().to_owned(),
        target: request.path.unwrap_or_default().to_owned(),
        length: bytes.len(),
    };
    Ok((head, body))
}

/// How the request's body ends. Strict, since the clients here are ours: a
/// request that two servers could read differently is a fault to be shown.
fn framing(fields: &[httparse::Header<'_>]) -> Result<Body, BadRequest> {
    let values = |name: &'static str| {
        let named = move |field: &&httparse::Header<'_>| field.name.eq_ignore_ascii_case(name);
        fields.iter().filter(named).map(|field| field.value)
    };
    let mut codings = values("transfer-encoding");
    let mut lengths = values("content-length");
    match (codings.next(), lengths.next()) {
        (None, None) => Ok(Body::Whole),
        (None, Some(length)) => {
            let length = digits(length).ok_or(BadRequest::Malformed)?;
            match lengths.next() {
                None => Ok(Body::counted(length)),
                Some(_) => Err(BadRequest::Malformed),
            }
        }
        (Some(coding), None)
            if codings.next().is_none() && coding.eq_ignore_ascii_case(b"chunked") =>
        {
            Ok(Body::chunked())
        }
        _ => Err(BadRequest::Malformed),
    }
}

/// A decimal number of digits only; `FromStr` would take a plus sign.
pub(crate) fn digits(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |number, byte| {
        let digit = char::from(*byte).to_digit(10)?;
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
