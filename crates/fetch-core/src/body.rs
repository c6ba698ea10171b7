//! Bodies, decoded as they come (RFC 9112 §6 and §7).

use bytes::{Buf, Bytes, BytesMut};
use http::Method;

use crate::chunked::ChunkedDecoder;
use crate::framing::Framing;
use crate::{FetchError, ResponseHead, limits};

/// Decodes one body and keeps what it has decoded.
#[derive(Debug)]
pub struct BodyDecoder {
    rest: Rest,
    decoded: Vec<u8>,
    max_body_bytes: u64,
}

/// What is still to come.
#[derive(Debug)]
enum Rest {
    Length(u64),
    Chunked(ChunkedDecoder),
    ToClose,
}

impl BodyDecoder {
    /// Decides how the response to a request with `method` is framed, and
    /// whether it may be read at all.
    ///
    /// # Errors
    ///
    /// In this order: `invalid-head` or `head-too-large` from the framing;
    /// `head-too-large` if all fields together pass
    /// [`limits::HEADER_MAP_BYTES`]; `body-too-large` for a Content-Length
    /// above `max_body_bytes`.
    pub fn new(
        method: &Method,
        head: &ResponseHead,
        max_body_bytes: u64,
    ) -> Result<Self, FetchError> {
        let framing = Framing::of(method, head)?;
        let fields: usize = head
            .headers
            .iter()
            .map(|(name, value)| name.as_str().len() + value.len())
            .sum();
        if fields > limits::HEADER_MAP_BYTES {
            return Err(FetchError::HeadTooLarge {
                reason: format!(
                    "{fields} bytes of fields, and {} are allowed",
                    limits::HEADER_MAP_BYTES
                ),
            });
        }
        let rest = match framing {
            Framing::NoBody => Rest::Length(0),
            Framing::Length(length) if length > max_body_bytes => {
                return Err(FetchError::BodyTooLarge {
                    limit: max_body_bytes,
                });
            }
            Framing::Length(length) => Rest::Length(length),
            Framing::Chunked => Rest::Chunked(ChunkedDecoder::new()),
            Framing::ToClose => Rest::ToClose,
        };
        // Nothing is reserved for an announced length: a server could announce
        // gigabytes on ten thousand connections and send none of them.
        Ok(BodyDecoder {
            rest,
            decoded: Vec::new(),
            max_body_bytes,
        })
    }

    /// Takes what it can out of `buffer`, and says whether the body is
    /// complete. Bytes beyond the end stay in the buffer.
    ///
    /// A body that ends with the connection is never complete here; see
    /// [`end_of_input`](Self::end_of_input).
    ///
    /// # Errors
    ///
    /// `invalid-chunk`, and `body-too-large` at the first decoded byte beyond
    /// the cap. The size that a chunk announces does not count.
    pub fn decode(&mut self, buffer: &mut BytesMut) -> Result<bool, FetchError> {
        let Self {
            rest,
            decoded,
            max_body_bytes,
        } = self;
        let mut keep = |bytes: &[u8]| {
            if decoded.len() as u64 + bytes.len() as u64 > *max_body_bytes {
                return Err(FetchError::BodyTooLarge {
                    limit: *max_body_bytes,
                });
            }
            decoded.extend_from_slice(bytes);
            Ok(())
        };
        match rest {
            Rest::Length(missing) => {
                let here = usize::try_from(*missing)
                    .unwrap_or(usize::MAX)
                    .min(buffer.len());
                keep(&buffer[..here])?;
                buffer.advance(here);
                *missing -= here as u64;
                Ok(*missing == 0)
            }
            Rest::Chunked(chunks) => chunks.decode(buffer, keep),
            Rest::ToClose => {
                keep(buffer)?;
                buffer.clear();
                Ok(false)
            }
        }
    }

    /// The connection has ended and all it brought has been decoded.
    ///
    /// # Errors
    ///
    /// `body-truncated`, unless the body is one that the end of the connection
    /// completes (RFC 9112 §8).
    pub fn end_of_input(&self) -> Result<(), FetchError> {
        let reason = match &self.rest {
            Rest::ToClose | Rest::Length(0) => return Ok(()),
            Rest::Length(missing) => {
                format!("the connection ended with {missing} bytes of the body missing")
            }
            Rest::Chunked(_) => "the connection ended before the last chunk did".to_owned(),
        };
        Err(FetchError::BodyTruncated { reason })
    }

    /// The decoded body.
    pub fn into_bytes(self) -> Bytes {
        self.decoded.into()
    }
}
