//! The kinds of failure: what all stages must agree on.

use std::fmt;

use crate::FetchError;

/// The kind of a [`FetchError`]. Tests and programs compare kinds, never text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each is documented at its FetchError variant")]
pub enum ErrorKind {
    InvalidUrl,
    UnsupportedScheme,
    InvalidRequest,
    DnsFailure,
    ConnectRefused,
    Disconnected,
    InvalidHead,
    HeadTooLarge,
    InvalidChunk,
    BodyTruncated,
    BodyTooLarge,
    Timeout,
    Cancelled,
    Resources,
    Io,
}

impl FetchError {
    /// What kind of failure this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            FetchError::InvalidUrl { .. } => ErrorKind::InvalidUrl,
            FetchError::UnsupportedScheme { .. } => ErrorKind::UnsupportedScheme,
            FetchError::InvalidRequest { .. } => ErrorKind::InvalidRequest,
            FetchError::DnsFailure { .. } => ErrorKind::DnsFailure,
            FetchError::ConnectRefused { .. } => ErrorKind::ConnectRefused,
            FetchError::Disconnected { .. } => ErrorKind::Disconnected,
            FetchError::InvalidHead { .. } => ErrorKind::InvalidHead,
            FetchError::HeadTooLarge { .. } => ErrorKind::HeadTooLarge,
            FetchError::InvalidChunk { .. } => ErrorKind::InvalidChunk,
            FetchError::BodyTruncated { .. } => ErrorKind::BodyTruncated,
            FetchError::BodyTooLarge { .. } => ErrorKind::BodyTooLarge,
            FetchError::Timeout { .. } => ErrorKind::Timeout,
            FetchError::Cancelled => ErrorKind::Cancelled,
            FetchError::Resources { .. } => ErrorKind::Resources,
            FetchError::Io { .. } => ErrorKind::Io,
        }
    }
}

impl ErrorKind {
    /// The name used in `--json` and in the cases, such as `body-truncated`.
    pub fn as_str(self) -> &'static str {
        match self {
            ErrorKind::InvalidUrl => "invalid-url",
            ErrorKind::UnsupportedScheme => "unsupported-scheme",
            ErrorKind::InvalidRequest => "invalid-request",
            ErrorKind::DnsFailure => "dns-failure",
            ErrorKind::ConnectRefused => "connect-refused",
            ErrorKind::Disconnected => "disconnected",
            ErrorKind::InvalidHead => "invalid-head",
            ErrorKind::HeadTooLarge => "head-too-large",
            ErrorKind::InvalidChunk => "invalid-chunk",
            ErrorKind::BodyTruncated => "body-truncated",
            ErrorKind::BodyTooLarge => "body-too-large",
            ErrorKind::Timeout => "timeout",
            ErrorKind::Cancelled => "cancelled",
            ErrorKind::Resources => "resources",
            ErrorKind::Io => "io",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
