//! First step from stage 3: its struct, with `poll` for a name.
//!
//! `cargo run -p stage4-hand-rolled-future --example state_as_poll`
//!
//! A state machine that does what it can and returns "not yet" is a `Future`
//! already; it lacks only the signature. The loop is still stage 3's: it waits
//! for the one socket there is, so it knows whom to call, and the waker that it
//! hands over wakes nobody. Where several futures wait, somebody has to tell
//! them apart: see `block_on`.

use std::error::Error;
use std::future::Future;
use std::io::{self, ErrorKind, Read, Write};
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Outgoing, Request, Response, ResponseHead};
use mio::net::TcpStream;
use mio::{Interest, Token};

/// An unfinished fetch, while nobody runs it.
struct Fetch<'a> {
    request: &'a Request,
    stream: &'a TcpStream,
    outgoing: Outgoing,
    buffer: BytesMut,
    phase: Phase,
}

/// Where the work stopped.
enum Phase {
    Sending,
    ReadingHead(HeadParser),
    ReadingBody {
        head: ResponseHead,
        body: BodyDecoder,
    },
    Done,
}

impl Future for Fetch<'_> {
    type Output = Result<Response, FetchError>;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            self.phase = match mem::replace(&mut self.phase, Phase::Done) {
                Phase::Sending if !self.outgoing.has_remaining() => {
                    Phase::ReadingHead(HeadParser::new())
                }
                Phase::Sending => match self.write() {
                    Err(error) if is_not_yet(&error) => return self.wait_in(Phase::Sending),
                    Err(error) => return Poll::Ready(Err(FetchError::sending(&error))),
                    Ok(()) => Phase::Sending,
                },
                Phase::ReadingHead(mut parser) => {
                    if let Some(head) = parser.parse(&mut self.buffer)? {
                        let body = BodyDecoder::new(self.request.method(), &head, 1024 * 1024)?;
                        Phase::ReadingBody { head, body }
                    } else {
                        match self.read() {
                            Err(error) if is_not_yet(&error) => {
                                return self.wait_in(Phase::ReadingHead(parser));
                            }
                            Err(error) => {
                                return Poll::Ready(Err(FetchError::reading_head(&error)));
                            }
                            Ok(0) => return Poll::Ready(Err(FetchError::closed_before_head())),
                            Ok(_) => Phase::ReadingHead(parser),
                        }
                    }
                }
                Phase::ReadingBody { head, mut body } => {
                    if body.decode(&mut self.buffer)? {
                        return Poll::Ready(Ok(head.into_response(body)));
                    }
                    match self.read() {
                        Err(error) if is_not_yet(&error) => {
                            return self.wait_in(Phase::ReadingBody { head, body });
                        }
                        Err(error) => return Poll::Ready(Err(FetchError::reading_body(&error))),
                        Ok(0) => {
                            body.end_of_input()?;
                            return Poll::Ready(Ok(head.into_response(body)));
                        }
                        Ok(_) => Phase::ReadingBody { head, body },
                    }
                }
                Phase::Done => panic!("polled after it was done"),
            }
        }
    }
}

impl Fetch<'_> {
    fn wait_in<T>(&mut self, phase: Phase) -> Poll<T> {
        self.phase = phase;
        Poll::Pending
    }

    fn write(&mut self) -> io::Result<()> {
        let mut stream = self.stream;
        let length = uninterrupted(|| stream.write(self.outgoing.chunk()))?;
        self.outgoing.advance(length);
        Ok(())
    }

    fn read(&mut self) -> io::Result<usize> {
        let mut stream = self.stream;
        let mut chunk = [0; 4096];
        let length = uninterrupted(|| stream.read(&mut chunk))?;
        self.buffer.extend_from_slice(&chunk[..length]);
        Ok(length)
    }
}

/// Makes the call again after a signal. To wait instead would be wrong: only
/// after a "not yet" is there going to be an event.
fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// No bytes, no room, no connection: not yet.
fn is_not_yet(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock | ErrorKind::NotConnected
    )
}

/// Fetches `url`, whose host must be an address. Gives the response, and how
/// often the future was polled.
pub(crate) fn fetch(url: &str) -> Result<(Response, usize), Box<dyn Error>> {
    let request = Request::get(url)?;
    let address = request.literal_address().ok_or("no address in the URL")?;
    let mut poll = mio::Poll::new()?;
    let mut events = mio::Events::with_capacity(8);
    let mut stream = TcpStream::connect(address)?;
    let both = Interest::READABLE | Interest::WRITABLE;
    poll.registry().register(&mut stream, Token(0), both)?;

    let mut fetch = Fetch {
        request: &request,
        stream: &stream,
        outgoing: request.encode(),
        buffer: BytesMut::new(),
        phase: Phase::Sending,
    };
    let mut polls = 0;
    loop {
        // Nobody will call this waker: the loop polls after every event.
        let mut cx = Context::from_waker(Waker::noop());
        polls += 1;
        if let Poll::Ready(result) = Pin::new(&mut fetch).poll(&mut cx) {
            return Ok((result?, polls));
        }
        match poll.poll(&mut events, None) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => result?,
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let origin = origin::Origin::start(origin::Config::default())?;
    let (response, polls) = fetch(&origin.url("/users/42/profile"))?;
    println!("{} after {polls} polls", response.status());
    println!("{}", String::from_utf8_lossy(response.body()));
    Ok(())
}
