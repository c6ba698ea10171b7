//! Finding the server, and when to give up.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::{FetchError, Options, Request};

use super::Fault;

/// How long the stage blocks before it looks around.
pub(crate) const SLICE: Duration = Duration::from_millis(10);

/// When a fetch must stop.
pub(crate) struct Clock<'a> {
    pub(crate) cancelled: &'a AtomicBool,
    pub(crate) until: Instant,
    pub(crate) deadline: Duration,
    pub(crate) deaf: bool,
}

impl Clock<'_> {
    /// How long to wait before asking again.
    pub(crate) fn slice(&self) -> Result<Duration, FetchError> {
        if self.cancelled.load(Ordering::SeqCst) && !self.deaf {
            return Err(FetchError::Cancelled);
        }
        Ok(self.left()?.min(SLICE))
    }

    fn left(&self) -> Result<Duration, FetchError> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(FetchError::Timeout {
                deadline: self.deadline,
            });
        }
        Ok(left)
    }
}

pub(crate) fn connect(
    request: &Request,
    options: &Options,
    clock: &Clock<'_>,
    fault: Option<Fault>,
) -> Result<TcpStream, FetchError> {
    let addresses = match request.literal_address() {
        Some(address) => vec![address],
        None => resolve(request, options, clock)?,
    };
    let mut last = io::Error::from(ErrorKind::NotFound);
    for address in addresses {
        let left = match fault {
            Some(Fault::DeadlinePerAddress) => clock.deadline,
            _ => clock.left()?,
        };
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
        if fault == Some(Fault::TriesOneAddress) {
            break;
        }
    }
    clock.slice()?;
    Err(FetchError::connecting(&request.authority(), &last))
}

fn resolve(
    request: &Request,
    options: &Options,
    clock: &Clock<'_>,
) -> Result<Vec<SocketAddr>, FetchError> {
    let (host, port) = (request.host(), request.port());
    let resolver = Arc::clone(&options.resolver);
    let (sender, receiver) = channel();
    thread::spawn(move || sender.send(resolver.resolve(&host, port)));
    let failed = |error: io::Error| FetchError::resolving(&request.host(), &error);
    loop {
        match receiver.recv_timeout(clock.slice()?) {
            Ok(Ok(none)) if none.is_empty() => return Err(failed(ErrorKind::NotFound.into())),
            Ok(answer) => return answer.map_err(failed),
            Err(RecvTimeoutError::Timeout) => {}
            Err(error) => return Err(failed(io::Error::other(error))),
        }
    }
}
