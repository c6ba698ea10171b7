//! A request goes out in parts, and is whole when they are put together.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use bytes::Buf;
use ex09_partial_write::{Sending, fetch};
use fetch_core::{FetchError, Request};

type TestResult = Result<(), Box<dyn Error>>;

const MEBIBYTE: usize = 1 << 20;

#[test]
fn a_small_request_goes_out_in_one_part() -> TestResult {
    let server = Server::start(Duration::ZERO)?;
    let request = post(server.address, 100)?;
    let wanted = bytes_of(&request);
    let (response, parts) = fetch(request)?;
    assert_eq!(response.body().as_ref(), b"ok");
    eprintln!("100 bytes of body: {parts} part");
    assert!(server.received() == wanted, "the server got other bytes");
    Ok(())
}

#[test]
fn a_server_that_reads_late_gets_every_byte_once() -> TestResult {
    let server = Server::start(Duration::from_millis(100))?;
    let request = post(server.address, 12 * MEBIBYTE)?;
    let wanted = bytes_of(&request);
    let fetched = fetch(request).map_err(|error| error.to_string());

    // The server counts, and is content. So look at what it has got.
    let got = server.received();
    if got != wanted {
        let again = find(&got[1..], b"POST / HTTP/1.1").map(|at| at + 1);
        assert_eq!(
            again, None,
            "the server got the beginning of the request again, at this byte"
        );
        panic!("bytes are missing, or are there twice");
    }
    let (response, parts) = fetched?;
    assert_eq!(response.body().as_ref(), b"ok");
    eprintln!("12 MiB of body: {parts} parts");
    Ok(())
}

#[test]
fn each_call_goes_on_where_the_last_one_stopped() -> TestResult {
    let request = post(SocketAddr::from(([127, 0, 0, 1], 80)), 100)?;
    let wanted = bytes_of(&request);
    let mut sending = Sending::new(request);
    // Head and body are two pieces in memory; these limits cut in both.
    let mut socket = Socket::default();
    for room in [10, 20, 0, 110, 30] {
        socket.room = room;
        let all_sent = sending.on_writable(&mut socket)?;
        assert!(
            !all_sent,
            "{} of {} bytes were taken, and that was said to be all",
            socket.taken.len(),
            wanted.len()
        );
        assert_eq!(
            socket.room, 0,
            "the socket had room for {} bytes more, and no event will come for that",
            socket.room
        );
    }
    socket.room = usize::MAX;
    let all_sent = sending.on_writable(&mut socket)?;
    let begins = count(&socket.taken, b"POST / HTTP/1.1");
    assert_eq!(begins, 1, "the beginning was sent again");
    assert!(
        socket.taken == wanted,
        "bytes were left out, or sent twice: {} of {}",
        socket.taken.len(),
        wanted.len()
    );
    assert!(all_sent, "all is sent, and that was not said");
    Ok(())
}

#[test]
fn a_short_write_is_followed_by_another() -> TestResult {
    let request = post(SocketAddr::from(([127, 0, 0, 1], 80)), 100)?;
    let wanted = bytes_of(&request);
    let mut socket = Socket {
        room: usize::MAX,
        most_at_once: 7,
        ..Socket::default()
    };
    let all_sent = Sending::new(request).on_writable(&mut socket)?;
    assert!(
        all_sent,
        "the system took 7 bytes and had room for more, and no event will come for that"
    );
    assert!(socket.taken == wanted, "bytes were left out, or sent twice");
    Ok(())
}

#[test]
fn when_all_is_sent_nothing_more_is() -> TestResult {
    let request = post(SocketAddr::from(([127, 0, 0, 1], 80)), 100)?;
    let wanted = bytes_of(&request);
    let mut sending = Sending::new(request);
    let mut socket = Socket {
        room: usize::MAX,
        ..Socket::default()
    };
    assert!(sending.on_writable(&mut socket)?);
    // Readiness is a hint: an event may come that nobody needs.
    assert!(sending.on_writable(&mut socket)?);
    assert_eq!(
        socket.taken.len(),
        wanted.len(),
        "the request was sent a second time"
    );
    Ok(())
}

#[test]
fn a_broken_connection_is_an_error() -> TestResult {
    let request = post(SocketAddr::from(([127, 0, 0, 1], 80)), 100)?;
    let mut socket = Socket {
        room: 30,
        broken: true,
        ..Socket::default()
    };
    let result = Sending::new(request).on_writable(&mut socket);
    let kind = result.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(ErrorKind::BrokenPipe),
        "30 bytes were taken, and then the connection broke"
    );
    Ok(())
}

/// A request with a body that repeats nothing for 251 bytes.
fn post(address: SocketAddr, length: usize) -> Result<Request, FetchError> {
    let no_fields: [(&str, &str); 0] = [];
    let mut body = Vec::from_iter(0..=250).repeat(length / 251 + 1);
    body.truncate(length);
    Request::new("POST", &format!("http://{address}/"), no_fields, body)
}

fn bytes_of(request: &Request) -> Vec<u8> {
    let mut outgoing = request.encode();
    outgoing.copy_to_bytes(outgoing.remaining()).into()
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    // By its first byte, since twelve mebibytes are a lot of windows.
    let starts = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'P');
    let mut places = starts.map(|(at, _)| at);
    places.find(|at| bytes[*at..].starts_with(wanted))
}

fn count(bytes: &[u8], wanted: &[u8]) -> usize {
    let places = bytes.windows(wanted.len());
    places.filter(|window| *window == wanted).count()
}

/// Accepts one connection, reads nothing for a while, then as many bytes as the
/// request's head announces, and says "ok". It does not care which bytes.
///
/// It ends with its client, which the test waits for.
struct Server {
    address: SocketAddr,
    thread: JoinHandle<io::Result<Vec<u8>>>,
}

impl Server {
    fn start(pause: Duration) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let thread = thread::spawn(move || {
            let (mut client, _) = listener.accept()?;
            // The pause begins with the first byte.
            client.peek(&mut [0])?;
            thread::sleep(pause);
            let mut got = Vec::new();
            let mut chunk = vec![0; 64 * 1024];
            while got.len() < announced(&got).unwrap_or(usize::MAX) {
                let length = client.read(&mut chunk)?;
                if length == 0 {
                    return Ok(got);
                }
                got.extend_from_slice(&chunk[..length]);
            }
            client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")?;
            // Whatever else it sends: to close with bytes unread would reset
            // the connection, and take the answer away.
            while client.read(&mut chunk).is_ok_and(|length| length > 0) {}
            Ok(got)
        });
        Ok(Server { address, thread })
    }

    fn received(self) -> Vec<u8> {
        let got = self.thread.join().expect("the server does not panic");
        got.expect("loopback does not fail")
    }
}

/// Head and body together, once the head is there.
fn announced(got: &[u8]) -> Option<usize> {
    // No head here is longer; the body need not be searched.
    let head = &got[..got.len().min(1024)];
    let end = head.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let head = String::from_utf8_lossy(&head[..end]).to_lowercase();
    let (_, length) = head.split_once("content-length: ")?;
    let length: usize = length.lines().next()?.trim().parse().ok()?;
    Some(end + length)
}

/// A socket that never blocks: it takes `room` bytes, and then says
/// `WouldBlock`, or that it is broken.
struct Socket {
    room: usize,
    most_at_once: usize,
    broken: bool,
    taken: Vec<u8>,
}

impl Default for Socket {
    fn default() -> Self {
        Socket {
            room: 0,
            most_at_once: usize::MAX,
            broken: false,
            taken: Vec::new(),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.room == 0 && self.broken {
            return Err(ErrorKind::BrokenPipe.into());
        }
        if self.room == 0 {
            return Err(ErrorKind::WouldBlock.into());
        }
        let length = bytes.len().min(self.room).min(self.most_at_once);
        self.taken.extend_from_slice(&bytes[..length]);
        self.room -= length;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
