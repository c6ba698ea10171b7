//! Yours.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use fetch_core::FetchError;

/// A connection on which a response has to come within a deadline.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    deadline: Duration,
    started: Instant,
}

impl Connection {
    /// The deadline runs from now on.
    pub fn new(stream: TcpStream, deadline: Duration) -> Self {
        Connection {
            stream,
            deadline,
            started: Instant::now(),
        }
    }

    /// Reads what is there to the end of `buffer`, and says how much that was;
    /// `Ok(0)` is the end. Blocks until there is something, but not beyond the
    /// deadline.
    ///
    /// # Errors
    ///
    /// `FetchError::Timeout`, once the deadline has passed; or the connection
    /// has failed.
    pub fn read(&mut self, buffer: &mut BytesMut) -> Result<usize, FetchError> {
        let mut chunk = [0; 16 * 1024];
        loop {
            // The system knows a timeout for one call, and forgets it with the
            // call. So each is given what is left of the one deadline, and
            // that gets less whether bytes come or not.
            let remaining = self.remaining()?;
            let read = self
                .stream
                .set_read_timeout(Some(remaining))
                .and_then(|()| self.stream.read(&mut chunk));
            match read {
                Ok(length) => {
                    buffer.extend_from_slice(&chunk[..length]);
                    return Ok(length);
                }
                // A signal: the call has done nothing.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The read's time is over. Whether the fetch's is, the clock
                // says, in the next round.
                Err(error) if is_timeout(&error) => {}
                Err(error) => return Err(FetchError::from_system("reading", &error)),
            }
        }
    }

    /// The time that is left, never zero: as a timeout, zero is refused.
    fn remaining(&self) -> Result<Duration, FetchError> {
        match self.deadline.checked_sub(self.started.elapsed()) {
            None | Some(Duration::ZERO) => Err(FetchError::Timeout {
                deadline: self.deadline,
            }),
            Some(remaining) => Ok(remaining),
        }
    }
}

/// Unix says it with the first of these, Windows with the second.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
