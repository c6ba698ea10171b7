//! Everything that can go wrong with one fetch.

use std::fmt;
use std::io;
use std::time::Duration;

/// Why a fetch has no response.
///
/// Flat, cloneable and comparable: stages hand errors across threads, keep
/// them in vectors and are compared with each other. Programs match on
/// [`kind`](FetchError::kind); the text is for people, and says what was
/// wrong, where, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchError {
    /// The URL cannot be used. Nothing was sent.
    InvalidUrl {
        /// The URL as it was given.
        url: String,
        /// What is wrong with it, and what to write instead.
        reason: String,
    },
    /// The URL names a scheme other than `http`. Nothing was sent.
    UnsupportedScheme {
        /// The scheme, without `://`.
        scheme: String,
    },
    /// Method, field or value of the request cannot be sent. Nothing was.
    InvalidRequest {
        /// What is wrong, and what to do instead.
        reason: String,
    },
    /// The host has no address.
    DnsFailure {
        /// The name that was looked up.
        host: String,
        /// The resolver's words.
        reason: String,
    },
    /// Every address of the host refused the connection.
    ConnectRefused {
        /// Host and port, as in the URL.
        address: String,
    },
    /// The connection ended before a whole head came.
    Disconnected {
        /// How far the fetch had come.
        reason: String,
    },
    /// Status line, fields or framing break the rules (RFC 9112 §2.2, §4, §5, §6).
    InvalidHead {
        /// Which rule.
        reason: String,
    },
    /// The head passes one of the [`limits`](crate::limits).
    HeadTooLarge {
        /// Which limit.
        reason: String,
    },
    /// The chunked coding breaks the rules (RFC 9112 §7.1), or its limits.
    InvalidChunk {
        /// Which rule.
        reason: String,
    },
    /// The connection ended inside the body. What had come is dropped.
    BodyTruncated {
        /// How the body ended.
        reason: String,
    },
    /// The body is larger than the caller allows.
    BodyTooLarge {
        /// The caller's cap in bytes.
        limit: u64,
    },
    /// The deadline of the whole fetch passed.
    Timeout {
        /// The deadline that was set.
        deadline: Duration,
    },
    /// Another fetch of the group failed first, and this one was stopped.
    Cancelled,
    /// The machine has no thread, descriptor or local port left for this fetch.
    Resources {
        /// What was missing, and the system's words.
        reason: String,
    },
    /// Anything else that the operating system reports.
    Io {
        /// What was being done, and the system's words.
        reason: String,
    },
}

impl FetchError {
    /// The resolver failed, or found no address. It opens files and sockets
    /// itself: without a descriptor for them it says nothing about the name.
    pub fn resolving(host: &str, error: &io::Error) -> Self {
        if is_exhaustion(error) {
            return Self::from_system(&format!("looking up {host}"), error);
        }
        FetchError::DnsFailure {
            host: host.to_owned(),
            reason: error.to_string(),
        }
    }

    /// No socket, or no connection: `address` is host and port.
    ///
    /// Call it with the error of the last address that was tried.
    pub fn connecting(address: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::ConnectionRefused => FetchError::ConnectRefused {
                address: address.to_owned(),
            },
            // Accepted by the backlog and reset before we looked: the server
            // was there, and left before a head came.
            _ if is_disconnect(error) => FetchError::Disconnected {
                reason: format!("{address} closed the connection at once ({error})"),
            },
            _ => Self::from_system(&format!("connecting to {address}"), error),
        }
    }

    /// Writing the request failed, and no answer had come.
    pub fn sending(error: &io::Error) -> Self {
        if is_disconnect(error) {
            return FetchError::Disconnected {
                reason: format!("the server went away while the request was being sent ({error})"),
            };
        }
        Self::from_system("sending the request", error)
    }

    /// End of input before the head was complete.
    pub fn closed_before_head() -> Self {
        FetchError::Disconnected {
            reason: "the server closed the connection before a whole response head came".into(),
        }
    }

    /// Reading failed before the head was complete.
    pub fn reading_head(error: &io::Error) -> Self {
        if is_disconnect(error) {
            return FetchError::Disconnected {
                reason: format!("the connection broke before a whole response head came ({error})"),
            };
        }
        Self::from_system("reading the response head", error)
    }

    /// Reading failed inside the body.
    pub fn reading_body(error: &io::Error) -> Self {
        if is_disconnect(error) {
            return FetchError::BodyTruncated {
                reason: format!("the connection broke inside the body ({error})"),
            };
        }
        Self::from_system("reading the response body", error)
    }

    /// No thread could be started for this fetch.
    pub fn no_thread(error: &io::Error) -> Self {
        FetchError::Resources {
            reason: format!(
                "no thread could be started ({error}): lower the number in flight, or raise the \
                 system's limit on threads"
            ),
        }
    }

    /// Any other system error: told apart by whether the machine ran out of
    /// something. `doing` completes "while …".
    pub fn from_system(doing: &str, error: &io::Error) -> Self {
        if is_exhaustion(error) {
            return FetchError::Resources {
                reason: format!(
                    "while {doing}: {error}: lower the number in flight, or raise the limit \
                     (`ulimit -n` shows that on descriptors)"
                ),
            };
        }
        FetchError::Io {
            reason: format!("while {doing}: {error}"),
        }
    }
}

/// The peer is gone: these race with each other, so they are one kind.
fn is_disconnect(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::NotConnected
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::WriteZero
    )
}

/// The machine ran out of descriptors, ports or memory for one more socket, or of
/// room in the list of those it watches.
fn is_exhaustion(error: &io::Error) -> bool {
    // std has no `ErrorKind` for "too many open files": ENFILE is 23 and EMFILE
    // 24 on every Unix we know, ENOBUFS differs, and Windows has WSAEMFILE and
    // WSAENOBUFS. Linux's ENOSPC, 28, is about no disk here: epoll_ctl(2) says so
    // at the limit max_user_watches.
    let exhausted: &[i32] = if cfg!(windows) {
        &[10024, 10055]
    } else if cfg!(target_os = "linux") {
        &[23, 24, 28, 105]
    } else {
        &[23, 24, 55]
    };
    error
        .raw_os_error()
        .is_some_and(|code| exhausted.contains(&code))
        || matches!(
            error.kind(),
            io::ErrorKind::OutOfMemory | io::ErrorKind::AddrNotAvailable | io::ErrorKind::AddrInUse
        )
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FetchError::InvalidUrl { url, reason } => write!(f, "invalid URL {url:?}: {reason}"),
            FetchError::UnsupportedScheme { scheme } => write!(
                f,
                "the scheme {scheme:?} is not supported: these clients speak plain HTTP only, so \
                 write http://, or use curl"
            ),
            FetchError::InvalidRequest { reason } => write!(f, "invalid request: {reason}"),
            FetchError::DnsFailure { host, reason } => write!(
                f,
                "no address for the host {host:?} ({reason}): check the spelling and the network"
            ),
            FetchError::ConnectRefused { address } => write!(
                f,
                "{address} refused the connection: check that a server listens there"
            ),
            FetchError::Disconnected { reason } => f.write_str(reason),
            FetchError::InvalidHead { reason } => write!(f, "invalid response head: {reason}"),
            FetchError::HeadTooLarge { reason } => write!(f, "response head too large: {reason}"),
            FetchError::InvalidChunk { reason } => write!(f, "invalid chunked body: {reason}"),
            FetchError::BodyTruncated { reason } => write!(f, "body truncated: {reason}"),
            FetchError::BodyTooLarge { limit } => write!(
                f,
                "the body is larger than the {limit} bytes allowed: raise max_body_bytes \
                 (--max-body) if that is meant to be so"
            ),
            FetchError::Timeout { deadline } => write!(
                f,
                "not complete within {} s: raise the deadline (--deadline) if the server may take \
                 longer",
                deadline.as_secs_f64()
            ),
            FetchError::Cancelled => f.write_str("cancelled, because another fetch failed first"),
            FetchError::Resources { reason } => write!(f, "out of resources {reason}"),
            FetchError::Io { reason } => write!(f, "system error {reason}"),
        }
    }
}

impl std::error::Error for FetchError {}
