//! A head arrives as the network pleases.

use std::io::{self, Read};
use std::time::Duration;

use bytes::BytesMut;
use ex01_short_reads::{fetch, read_head};
use fetch_core::{ErrorKind, FetchError};
use origin::{Config, Origin, Script};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

#[test]
fn a_head_in_one_piece() -> io::Result<()> {
    let (result, _) = fetch_from(Script::new().expect_head().send(format!("{HEAD}hello")))?;
    assert_eq!(result, Ok("hello".to_owned()));
    Ok(())
}

#[test]
fn a_head_in_three_pieces() -> io::Result<()> {
    let pause = Duration::from_millis(30);
    let script = Script::new()
        .expect_head()
        .send("HTTP/1.1 200 OK\r\nContent-")
        .pause(pause)
        .send("Length: 5\r\n\r")
        .pause(pause)
        .send("\nhello");
    let (result, _) = fetch_from(script)?;
    assert_eq!(
        result,
        Ok("hello".to_owned()),
        "the head came in three pieces"
    );
    Ok(())
}

#[test]
fn a_head_byte_by_byte() {
    let mut server = Scripted::new(HEAD.bytes().map(|byte| vec![byte]));
    let head = read_head(&mut server, &mut BytesMut::new());
    assert!(head.is_ok(), "a byte came alone, and that gave {head:?}");
    eprintln!(
        "{} bytes, one at a time: {} reads",
        HEAD.len(),
        server.reads
    );
}

#[test]
fn what_came_with_the_head_stays_in_the_buffer() {
    let mut server = Scripted::new([format!("{HEAD}hello").into_bytes()]);
    let mut buffer = BytesMut::new();
    let head = read_head(&mut server, &mut buffer);
    assert!(head.is_ok(), "it came in one piece, and that gave {head:?}");
    assert_eq!(buffer.as_ref(), b"hello");
    eprintln!("head and body in one piece: {} read", server.reads);
}

#[test]
fn a_server_that_leaves_in_the_middle_is_an_error() -> io::Result<()> {
    let script = Script::new()
        .expect_head()
        .send("HTTP/1.1 200 OK\r\nConte")
        .close();
    let (result, _) = fetch_from(script)?;
    let kind = result.map_err(|error| error.kind());
    assert_eq!(kind, Err(ErrorKind::Disconnected));
    Ok(())
}

/// The body that a fetch gives, from an origin server that follows `script`.
fn fetch_from(script: Script) -> io::Result<(Result<String, FetchError>, Origin)> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(script)?;
    let response = fetch(&format!("http://{address}/"));
    let body = response.map(|r| String::from_utf8_lossy(r.body()).into_owned());
    Ok((body, origin))
}

/// A connection on which each read gives the next piece, then the end.
struct Scripted {
    pieces: std::vec::IntoIter<Vec<u8>>,
    reads: usize,
}

impl Scripted {
    fn new(pieces: impl IntoIterator<Item = Vec<u8>>) -> Self {
        let pieces: Vec<_> = pieces.into_iter().collect();
        Scripted {
            pieces: pieces.into_iter(),
            reads: 0,
        }
    }
}

impl Read for Scripted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads += 1;
        let piece = self.pieces.next().unwrap_or_default();
        buffer[..piece.len()].copy_from_slice(&piece);
        Ok(piece.len())
    }
}
