//! What the caller decides about a group of fetches.

use std::fmt;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options of one call to a [`Stage`](crate::Stage).
#[derive(Debug, Clone)]
pub struct Options {
    /// How many fetches may be in flight at once: begun and not finished. The
    /// rest wait their turn, holding no connection. 64 by default.
    pub max_in_flight: NonZeroUsize,
    /// How long one whole fetch may take: resolving, connecting, sending, and
    /// all of the body. It begins when the fetch gets its place in flight, not
    /// while it queues. 30 s by default.
    pub deadline: Duration,
    /// Largest body, in decoded bytes. 64 MiB by default.
    pub max_body_bytes: u64,
    /// What one failure does to the other fetches of the same call.
    pub on_error: OnError,
    /// How names become addresses. [`SystemResolver`] by default.
    pub resolver: Arc<dyn Resolve>,
}

/// What one failed fetch does to the others of the same call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OnError {
    /// Every fetch goes on to its own end.
    #[default]
    Finish,
    /// The first failure ends the others: their connections are closed at once
    /// and their result is [`Cancelled`](crate::FetchError::Cancelled).
    CancelOthers,
}

impl Options {
    /// The moment at which a fetch that got its place at `start` must be over.
    ///
    /// A deadline beyond what the clock can express becomes thirty years.
    pub fn deadline_from(&self, start: Instant) -> Instant {
        const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);
        start.checked_add(self.deadline.min(FAR)).unwrap_or(start)
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_in_flight: NonZeroUsize::new(64).unwrap_or(NonZeroUsize::MIN),
            deadline: Duration::from_secs(30),
            max_body_bytes: 64 * 1024 * 1024,
            on_error: OnError::default(),
            resolver: Arc::new(SystemResolver),
        }
    }
}

/// Turns a name into addresses, in the order in which to try them.
///
/// **This call may block** for as long as it likes, as the C library's
/// `getaddrinfo` does, and cannot be cancelled. Where it is called so that the
/// deadline holds all the same is part of what each stage shows.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Addresses of `host` (a name, never an IP literal), each with `port`.
    ///
    /// # Errors
    ///
    /// What the resolver reports. No address at all is treated as an error too.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>>;
}

/// The operating system's resolver, through [`ToSocketAddrs`].
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok((host, port).to_socket_addrs()?.collect())
    }
}
