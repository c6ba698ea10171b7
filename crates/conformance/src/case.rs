//! A case: what a server sends, and the one right outcome.

use std::time::Duration;

use bytes::Bytes;
use fetch_core::{ErrorKind, FetchError, Request};
use http::{Method, Version};

/// One case, as in `cases/*.json`. The format is described in
/// `cases/README.md`.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique, such as `chunk-two`.
    pub id: String,
    /// What is special about it, in words.
    pub title: String,
    /// The file it is in, without `.json`.
    pub theme: String,
    /// The section of the RFC that it is about.
    pub rfc: Option<String>,
    /// The public report that it goes back to, as `owner/repository#number`.
    pub seen_in: Option<String>,
    /// What the client is asked for.
    pub request: CaseRequest,
    /// What the server reads before it sends anything.
    pub read_request: ReadRequest,
    /// What the server sends, each its own write.
    pub segments: Vec<Bytes>,
    /// The pauses between all that.
    pub pauses: Pauses,
    /// What the server does after the last segment.
    pub end: End,
    /// Whether the server needs a listener of its own, because it does not even
    /// read which case is asked for.
    pub own_port: bool,
    /// How many fetches are made, one after the other. Each must have the
    /// expected outcome.
    pub repetitions: usize,
    /// Whether other cuts than the given ones would change the outcome.
    pub only_as_given: bool,
    /// The caller's cap, if it is not the default.
    pub max_body_bytes: Option<u64>,
    /// The one right outcome.
    pub expected: Expected,
}

/// What the client is asked for.
#[derive(Debug, Clone)]
pub struct CaseRequest {
    /// Given to [`Request::new`] as it is.
    pub method: String,
    /// Where to.
    pub target: Target,
    /// The caller's own fields.
    pub fields: Vec<(Bytes, Bytes)>,
    /// The body; empty if there is none.
    pub body: Bytes,
}

/// Where a case's request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// To the server that plays the case.
    Script,
    /// To this URL, once `{HOST}` and `{PORT}` are filled in with those of an
    /// echo server: one that answers with the head of the request.
    Echo(String),
    /// To a port on which nothing listens.
    Refused,
}

/// What the server reads before it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadRequest {
    /// The whole request.
    Whole,
    /// Its head.
    Head,
    /// Nothing.
    None,
}

/// The pauses that the server makes, and one that the client makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pauses {
    /// Before the first segment.
    pub before: Duration,
    /// Between two segments.
    pub between: Duration,
    /// After the last segment, before the end.
    pub after: Duration,
    /// Between two fetches of a sequence.
    pub gap: Duration,
}

/// What the server does after the last segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Closes; it drains first if it has read the request whole.
    Close,
    /// Resets the connection.
    Reset,
    /// Shuts down writing, and reads on.
    ShutdownWrite,
    /// Keeps the connection open, and reads on.
    KeepOpen,
    /// Keeps the connection open, and reads nothing any more.
    KeepOpenUnread,
}

/// The one right outcome of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// A response.
    Response(ExpectedResponse),
    /// An error of this kind.
    Error(ErrorKind),
}

/// The parts of a response that are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedResponse {
    /// The status code.
    pub status: u16,
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// All fields.
    pub headers: ExpectedHeaders,
    /// The decoded body. Not given for echoes.
    pub body: Option<Bytes>,
    /// The request target that the server saw (for echoes).
    pub request_target: Option<String>,
    /// The Host field that the server saw; `{PORT}` is filled in (for echoes).
    pub host_header: Option<String>,
}

/// What is known of the fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedHeaders {
    /// Their names in lower case, and values.
    All(Vec<(Bytes, Bytes)>),
    /// How many there are.
    Count(usize),
    /// Not compared.
    Any,
}

impl Case {
    /// All that the server sends, in one piece.
    pub fn response_bytes(&self) -> Bytes {
        self.segments.concat().into()
    }

    /// Whether the head of the final response is expected to be malformed. Cut
    /// before its blank line, such a head may also count as never complete.
    pub fn has_malformed_head(&self) -> bool {
        self.expected == Expected::Error(ErrorKind::InvalidHead)
    }

    /// The request, for `url` in place of the case's own target.
    ///
    /// # Errors
    ///
    /// As [`Request::new`]: some cases want that.
    pub fn request_to(&self, url: &str) -> Result<Request, FetchError> {
        let CaseRequest {
            method,
            fields,
            body,
            ..
        } = &self.request;
        let fields = fields.iter().map(|(name, value)| (name, value));
        Request::new(method, url, fields, body.clone())
    }

    /// The method, or GET if it is none.
    pub fn method(&self) -> Method {
        Method::from_bytes(self.request.method.as_bytes()).unwrap_or_default()
    }
}
