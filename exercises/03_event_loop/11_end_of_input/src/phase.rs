//! Yours: how far a response has come, and what each input does to it.

use std::io;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response, ResponseHead};

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// Where the work stopped.
#[derive(Debug)]
pub enum Phase {
    /// The head is not complete.
    ReadingHead(HeadParser),
    /// The body is not complete.
    ReadingBody {
        /// The head.
        head: ResponseHead,
        /// What of the body has come. It knows how the body ends.
        body: BodyDecoder,
    },
    /// The response is complete.
    Done(Response),
}

impl Phase {
    /// Nothing has come yet.
    pub fn new() -> Self {
        Phase::ReadingHead(HeadParser::new())
    }

    /// Bytes have come: takes what it can out of `buffer`, and goes as far as
    /// that leads.
    ///
    /// # Errors
    ///
    /// What is wrong with the response.
    pub fn on_bytes(self, request: &Request, buffer: &mut BytesMut) -> Result<Self, FetchError> {
        match self {
            Phase::ReadingHead(mut parser) => {
                let Some(head) = parser.parse(buffer)? else {
                    return Ok(Phase::ReadingHead(parser));
                };
                let body = BodyDecoder::new(request.method(), &head, MAX_BODY_BYTES)?;
                // Some of the body may have come along.
                Phase::ReadingBody { head, body }.on_bytes(request, buffer)
            }
            Phase::ReadingBody { head, mut body } => Ok(match body.decode(buffer)? {
                true => Phase::Done(head.into_response(body)),
                false => Phase::ReadingBody { head, body },
            }),
            Phase::Done(response) => Ok(Phase::Done(response)),
        }
    }

    /// The server has closed its side of the connection: nothing more will
    /// come, and `on_bytes` has seen all that came.
    ///
    /// # Errors
    ///
    /// The response is not whole.
    pub fn on_end_of_input(self) -> Result<Response, FetchError> {
        // The connection has ended: done, whatever we have.
        Ok(match self {
            Phase::ReadingHead(_) => Response::default(),
            Phase::ReadingBody { head, body } => head.into_response(body),
            Phase::Done(response) => response,
        })
    }

    /// The connection has failed. What the error is called depends on the
    /// phase, too.
    pub fn on_error(self, error: &io::Error) -> FetchError {
        match self {
            Phase::ReadingHead(_) => FetchError::reading_head(error),
            Phase::ReadingBody { .. } | Phase::Done(_) => FetchError::reading_body(error),
        }
    }
}

impl Default for Phase {
    fn default() -> Self {
        Self::new()
    }
}
