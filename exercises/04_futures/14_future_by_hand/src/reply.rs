//! A response, as far as it has come. Given: there is nothing to change here.

use std::io;
use std::mem;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response, ResponseHead};
use http::Method;

/// The most bytes that a body may have.
const MAX_BODY_BYTES: u64 = 1 << 20;

/// What has come of the response to one request.
#[derive(Debug)]
pub(crate) struct Reply {
    method: Method,
    phase: Phase,
}

#[derive(Debug)]
enum Phase {
    Head(HeadParser),
    Body {
        head: ResponseHead,
        body: BodyDecoder,
    },
    Done,
}

impl Reply {
    /// Nothing yet.
    pub(crate) fn to(request: &Request) -> Self {
        Reply {
            method: request.method().clone(),
            phase: Phase::Head(HeadParser::new()),
        }
    }

    /// Takes what it can out of `buffer`, and gives the response once it is
    /// complete.
    pub(crate) fn take(&mut self, buffer: &mut BytesMut) -> Result<Option<Response>, FetchError> {
        loop {
            self.phase = match mem::replace(&mut self.phase, Phase::Done) {
                Phase::Head(mut parser) => match parser.parse(buffer)? {
                    Some(head) => {
                        let body = BodyDecoder::new(&self.method, &head, MAX_BODY_BYTES)?;
                        Phase::Body { head, body }
                    }
                    None => {
                        self.phase = Phase::Head(parser);
                        return Ok(None);
                    }
                },
                Phase::Body { head, mut body } => {
                    if body.decode(buffer)? {
                        return Ok(Some(head.into_response(body)));
                    }
                    self.phase = Phase::Body { head, body };
                    return Ok(None);
                }
                Phase::Done => return Ok(None),
            };
        }
    }

    /// Nothing more will come.
    pub(crate) fn end_of_input(self) -> Result<Response, FetchError> {
        match self.phase {
            Phase::Body { head, body } => {
                body.end_of_input()?;
                Ok(head.into_response(body))
            }
            Phase::Head(_) | Phase::Done => Err(FetchError::closed_before_head()),
        }
    }

    /// Reading has failed: what the error is called depends on how far the
    /// response has come.
    pub(crate) fn failed(&self, error: &io::Error) -> FetchError {
        match self.phase {
            Phase::Head(_) => FetchError::reading_head(error),
            Phase::Body { .. } | Phase::Done => FetchError::reading_body(error),
        }
    }
}
