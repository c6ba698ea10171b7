//! Yours.

use std::io::{self, ErrorKind, Read};
use std::net::TcpStream;
use std::time::Duration;

use bytes::BytesMut;
use fetch_core::FetchError;

/// A connection on which a response has to come within a deadline.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    deadline: Duration,
}

impl Connection {
    /// The deadline runs from now on.
    pub fn new(stream: TcpStream, deadline: Duration) -> Self {
        Connection { stream, deadline }
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
            // No read lasts longer than that, so none can miss the deadline.
            let read = self
                .stream
                .set_read_timeout(Some(self.deadline))
                .and_then(|()| self.stream.read(&mut chunk));
            match read {
                Ok(length) => {
                    buffer.extend_from_slice(&chunk[..length]);
                    return Ok(length);
                }
                // A signal: the call has done nothing.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // The read's time is over.
                Err(error) if is_timeout(&error) => {
                    return Err(FetchError::Timeout {
                        deadline: self.deadline,
                    });
                }
                Err(error) => return Err(FetchError::from_system("reading", &error)),
            }
        }
    }
}

/// Unix says it with the first of these, Windows with the second.
fn is_timeout(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
