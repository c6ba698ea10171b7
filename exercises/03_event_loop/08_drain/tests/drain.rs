//! What an event has reported is read to the last byte.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};

use bytes::BytesMut;
use ex08_drain::{Input, fetch, on_readable};
use origin::{Config, Origin, Script};

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_body_of_5_bytes() -> TestResult {
    assert_eq!(length_of_body(5)?, 5);
    Ok(())
}

/// All of it comes at once, and then the server says nothing and stays: there
/// is one event.
#[test]
fn a_body_of_20_000_bytes() -> TestResult {
    assert_eq!(length_of_body(20_000)?, 20_000);
    Ok(())
}

#[test]
fn it_reads_until_the_socket_is_empty() -> io::Result<()> {
    let mut socket = Socket::new([Ok(20_000)]);
    let mut buffer = BytesMut::new();
    assert_eq!(on_readable(&mut socket, &mut buffer)?, Input::Open);
    let left = socket.bytes_left();
    assert_eq!(
        left, 0,
        "{left} bytes are left in the socket, and no event will come for them"
    );
    assert_eq!(buffer.len(), 20_000);
    eprintln!("20,000 bytes there: {} reads", socket.reads);
    Ok(())
}

#[test]
fn a_short_read_is_not_the_last() -> io::Result<()> {
    let mut socket = Socket::new([Ok(100), Ok(9_000), Ok(100)]);
    let mut buffer = BytesMut::new();
    assert_eq!(on_readable(&mut socket, &mut buffer)?, Input::Open);
    let left = socket.bytes_left();
    assert_eq!(
        left, 0,
        "{left} bytes are left: a short read does not mean that the socket is empty"
    );
    assert_eq!(buffer.len(), 9_200);
    Ok(())
}

#[test]
fn an_interrupted_read_is_tried_again() -> io::Result<()> {
    let mut socket = Socket::new([Err(ErrorKind::Interrupted), Ok(100)]);
    let mut buffer = BytesMut::new();
    assert_eq!(on_readable(&mut socket, &mut buffer)?, Input::Open);
    assert_eq!(
        buffer.len(),
        100,
        "a signal came first, and the bytes were not read: only WouldBlock means that the \
         socket is empty"
    );
    Ok(())
}

#[test]
fn the_end_that_came_with_the_last_bytes_is_seen() -> io::Result<()> {
    let mut socket = Socket::new([Ok(100), Ok(0)]);
    let mut buffer = BytesMut::new();
    let input = on_readable(&mut socket, &mut buffer)?;
    assert_eq!(buffer.len(), 100, "what came before the end is to be kept");
    assert_eq!(
        input,
        Input::Ended,
        "the end of input was there, and was not read"
    );
    Ok(())
}

#[test]
fn an_empty_socket_is_no_error() -> io::Result<()> {
    let mut socket = Socket::new([]);
    let mut buffer = BytesMut::new();
    assert_eq!(on_readable(&mut socket, &mut buffer)?, Input::Open);
    assert_eq!(
        socket.reads, 1,
        "WouldBlock: it is for the loop to wait, not for this function"
    );
    Ok(())
}

#[test]
fn a_broken_connection_is_an_error() {
    let mut socket = Socket::new([Err(ErrorKind::ConnectionReset)]);
    let result = on_readable(&mut socket, &mut BytesMut::new());
    let kind = result.map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::ConnectionReset));
}

/// Fetches a body of `length` bytes, sent in one piece together with the head.
fn length_of_body(length: usize) -> Result<usize, Box<dyn std::error::Error>> {
    let origin = Origin::start(Config::default())?;
    let response = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{}",
        "x".repeat(length)
    );
    let script = Script::new().expect_request().send(response).stall();
    let address = origin.listen(script)?;
    let (response, wakings) = fetch(&format!("http://{address}/"))?;
    eprintln!("{length} bytes: the loop was woken {wakings} times");
    Ok(response.body().len())
}

/// A socket that never blocks. Each entry is so many bytes that can be read, or
/// an error that is reported once; 0 is the end of input, and stays.
struct Socket {
    ready: VecDeque<Result<usize, ErrorKind>>,
    reads: usize,
}

impl Socket {
    fn new(ready: impl IntoIterator<Item = Result<usize, ErrorKind>>) -> Self {
        Socket {
            ready: ready.into_iter().collect(),
            reads: 0,
        }
    }

    fn bytes_left(&self) -> usize {
        self.ready.iter().flatten().sum()
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        match self.ready.pop_front() {
            None => Err(ErrorKind::WouldBlock.into()),
            Some(Err(kind)) => Err(kind.into()),
            Some(Ok(0)) => {
                self.ready.push_front(Ok(0));
                Ok(0)
            }
            Some(Ok(there)) => {
                let length = there.min(buffer.len());
                buffer[..length].fill(b'x');
                if there > length {
                    self.ready.push_front(Ok(there - length));
                }
                Ok(length)
            }
        }
    }
}
