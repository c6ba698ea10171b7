//! A client of nothing but std: it must not share a mistake with the origin.
#![allow(dead_code, unreachable_pub)]

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use origin::{Config, Connection, Origin};

/// Longer than anything here should take; a hang becomes a failure.
pub const PATIENCE: Duration = Duration::from_secs(10);

pub fn start() -> Origin {
    Origin::start(Config::default()).expect("an origin on loopback")
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("connect");
    stream.set_read_timeout(Some(PATIENCE)).expect("timeout");
    stream.set_write_timeout(Some(PATIENCE)).expect("timeout");
    stream.set_nodelay(true).expect("nodelay");
    stream
}

pub fn request(method: &str, target: &str) -> String {
    format!("{method} {target} HTTP/1.1\r\nHost: origin\r\nConnection: close\r\n\r\n")
}

/// Sends bytes and reads until the server closes; what came, and how it ended.
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> (Vec<u8>, io::Result<()>) {
    let mut stream = connect(address);
    // A server may refuse and close before all is written.
    let _ = stream.write_all(bytes);
    read_all(&mut stream)
}

pub fn read_all(stream: &mut TcpStream) -> (Vec<u8>, io::Result<()>) {
    let mut got = Vec::new();
    let result = stream.read_to_end(&mut got).map(|_| ());
    (got, result)
}

/// The response to a GET as (head, body).
pub fn get(origin: &Origin, target: &str) -> (String, Vec<u8>) {
    send(origin, request("GET", target).as_bytes())
}

pub fn send(origin: &Origin, bytes: &[u8]) -> (String, Vec<u8>) {
    let (got, result) = exchange(origin.address(), bytes);
    result.expect("a graceful close");
    split(&got)
}

pub fn split(response: &[u8]) -> (String, Vec<u8>) {
    let end = response.windows(4).position(|w| w == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head in {:?}", response.escape_ascii().to_string()));
    let head = String::from_utf8(response[..end + 2].to_vec()).expect("an ASCII head");
    (head, response[end + 4..].to_vec())
}

/// Waits until something holds, which should be soon.
pub fn soon(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the journal's last connection has ended, and gives it.
pub fn last_ended(origin: &Origin) -> Connection {
    let ended = |o: &Origin| o.journal().pop().filter(|c| c.ended.is_some());
    soon("the connection has ended", || ended(origin).is_some());
    ended(origin).expect("it has ended")
}
