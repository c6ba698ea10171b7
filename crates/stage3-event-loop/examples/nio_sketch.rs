//! A Selector loop as it is often sketched, and the three responses that it
//! gets wrong.
//!
//! `cargo run -p stage3-event-loop --example nio_sketch`
//!
//! A channel, a buffer of fixed size, a phase; one read for each event; the end
//! of input means done. That is how the idea is best explained, and it is where
//! a program only begins. Each fault is run against a server of a few lines, and
//! then this stage fetches the same.
//!
//! Java's `read` says -1 at the end of input and 0 if nothing was read. In Rust
//! the end is `Ok(0)`, and so is a read into no room at all: whoever mixes the
//! two up takes a full buffer for the end.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use fetch_core::{Options, Request, Stage};
use stage3_event_loop::EventLoop;

/// After so many turns nothing new will happen.
const PATIENCE: u32 = 1000;
/// How long the server waits for our side to close.
const LINGER: Duration = Duration::from_millis(300);

/// What has to outlive the return to the loop, as the sketch has it.
pub(crate) struct ReadState {
    channel: TcpStream,
    buffer: [u8; 8192],
    filled: usize,
    pub(crate) phase: Phase,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    ReadingHeaders,
    ReadingBody,
    Done,
}

impl ReadState {
    /// An event: one read, and whatever it leads to.
    fn on_readable(&mut self) -> io::Result<()> {
        let room = &mut self.buffer[self.filled..];
        let read = match room.is_empty() {
            true => Some(0),
            false => match self.channel.read(room) {
                Ok(0) => None,
                Ok(length) => Some(length),
                Err(error) if error.kind() == ErrorKind::WouldBlock => Some(0),
                Err(error) => return Err(error),
            },
        };
        match read {
            // Nothing more will come: done. (Is it? That depends on the phase.)
            None => self.phase = Phase::Done,
            // Not enough yet: the next event will bring more. (Into what room?)
            Some(0) => {}
            Some(length) => {
                self.filled += length;
                let seen = &self.buffer[..self.filled];
                if self.phase == Phase::ReadingHeaders
                    && seen.windows(4).any(|four| four == b"\r\n\r\n")
                {
                    self.phase = Phase::ReadingBody;
                }
            }
        }
        Ok(())
    }
}

/// Turns until the state is done, or until it is clear that it never will be.
/// Says how many turns it took.
pub(crate) fn run(server: SocketAddr) -> io::Result<(ReadState, u32)> {
    let mut channel = TcpStream::connect(server)?;
    channel.write_all(b"GET / HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")?;
    let mut state = ReadState {
        channel,
        buffer: [0; 8192],
        filled: 0,
        phase: Phase::ReadingHeaders,
    };
    let mut turns = 0;
    while state.phase != Phase::Done && turns < PATIENCE {
        select(&state.channel)?;
        state.on_readable()?;
        turns += 1;
    }
    // Here the key would be cancelled. The channel stays open: that takes a
    // call of its own, and in Rust it takes dropping the state.
    Ok((state, turns))
}

/// A level-triggered selector with one channel: it returns when there is
/// something to read, the end of input included, and again if there still is.
fn select(channel: &TcpStream) -> io::Result<()> {
    channel.set_nonblocking(false)?;
    channel.peek(&mut [0])?;
    channel.set_nonblocking(true)
}

/// Answers one request, closes its direction, and says whether the client closed
/// the other one.
pub(crate) fn serve(response: String) -> io::Result<(SocketAddr, JoinHandle<io::Result<bool>>)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    // It ends after its one client, at the latest when it has lingered; nobody
    // cancels it; the one who joins it gets the result; there is one a call.
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept()?;
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            request.extend(byte);
        }
        stream.write_all(response.as_bytes())?;
        stream.shutdown(std::net::Shutdown::Write)?;
        stream.set_read_timeout(Some(LINGER))?;
        Ok(matches!(stream.read(&mut [0]), Ok(0)))
    });
    Ok((address, server))
}

/// What the sketch gets wrong, and the response that shows it.
pub(crate) fn faults() -> [(&'static str, String); 3] {
    let cookie = "c".repeat(9000);
    let head = "HTTP/1.1 200 OK\r\n";
    [
        (
            "a head that is larger than the buffer",
            format!("{head}Set-Cookie: {cookie}\r\nContent-Length: 2\r\n\r\nok"),
        ),
        (
            "3 of 10 bytes of a body, and the end",
            format!("{head}Content-Length: 10\r\n\r\nabc"),
        ),
        (
            "a whole response, and the end",
            format!("{head}Content-Length: 2\r\n\r\nok"),
        ),
    ]
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    for (what, response) in faults() {
        println!("{what}");
        let (address, server) = serve(response.clone())?;
        let (state, turns) = run(address)?;
        let (phase, filled) = (state.phase, state.filled);
        println!("  the sketch: {phase:?} after {turns} turns, {filled} bytes in the buffer");
        let closed = server.join().map_err(|_| "the server panicked")??;
        println!("              closed its side: {}", yes_or_no(closed));
        drop(state);

        let (address, server) = serve(response)?;
        let request = Request::get(&format!("http://{address}/"))?;
        for result in EventLoop.fetch_all(vec![request], &Options::default()) {
            match result {
                Ok(response) => println!("  stage 3:    {} bytes of body", response.body().len()),
                Err(error) => println!("  stage 3:    {error}"),
            }
        }
        let closed = server.join().map_err(|_| "the server panicked")??;
        println!("              closed its side: {}", yes_or_no(closed));
    }
    Ok(())
}

fn yes_or_no(answer: bool) -> &'static str {
    if answer { "yes" } else { "no" }
}
