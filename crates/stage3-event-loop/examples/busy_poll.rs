//! First step: do not block, and see what it costs not to sleep.
//!
//! `cargo run -p stage3-event-loop --example busy_poll`
//!
//! Two fetches side by side on one thread, with nothing but non-blocking
//! sockets of the standard library. Each is asked again and again whether
//! something has come. The answers are right, and as fast as with two threads;
//! but somebody has to do the asking, and a processor is at it all the time.
//!
//! What is missing is not concurrency. It is a way to sleep until *one of
//! several* things happens: see `one_connection.rs`.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response, ResponseHead};
use origin::{Config, Origin};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let requests = [
        Request::get(&origin.url("/users/42/profile"))?,
        Request::get(&origin.url("/users/42/orders"))?,
    ];
    let (responses, cost) = fetch_side_by_side(&requests)?;
    for (request, response) in requests.iter().zip(&responses) {
        let body = String::from_utf8_lossy(response.body());
        println!("{}: {} {body}", request.url(), response.status());
    }
    println!("wall time:            {:?}", cost.wall_time);
    match cost.cpu_time {
        Some(cpu_time) => println!("processor time:       {cpu_time:?} of it, on this thread"),
        None => println!("processor time:       not measured here"),
    }
    println!("asked for bytes:      {} times", cost.reads);
    println!("answered \"none yet\":  {} times", cost.in_vain);
    Ok(())
}

/// What it took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cost {
    /// From before the first write to after the last read.
    pub(crate) wall_time: Duration,
    /// What of it a processor spent on this thread, where that can be known.
    pub(crate) cpu_time: Option<Duration>,
    /// Calls to `read`.
    pub(crate) reads: u64,
    /// How many of them found nothing.
    pub(crate) in_vain: u64,
}

/// Fetches all `requests`, whose hosts have to be addresses, at once.
pub(crate) fn fetch_side_by_side(
    requests: &[Request],
) -> Result<(Vec<Response>, Cost), Box<dyn Error>> {
    let mut cost = Cost::default();
    let (wall_before, cpu_before) = (Instant::now(), cpu_time());

    let mut asked = Vec::new();
    for request in requests {
        asked.push(Asked::new(request)?);
    }
    // Round and round. Nothing in this loop waits.
    while asked.iter().any(|one| one.response.is_none()) {
        for one in &mut asked {
            one.ask_again(&mut cost)?;
        }
    }

    cost.wall_time = wall_before.elapsed();
    cost.cpu_time = match (cpu_before, cpu_time()) {
        (Some(before), Some(after)) => Some(after.saturating_sub(before)),
        _ => None,
    };
    Ok((
        asked.into_iter().filter_map(|one| one.response).collect(),
        cost,
    ))
}

/// A fetch that has to be remembered between two rounds, since we do not stay
/// with it until it ends.
struct Asked<'a> {
    request: &'a Request,
    stream: TcpStream,
    buffer: BytesMut,
    parser: HeadParser,
    /// Once the head is complete.
    body: Option<(ResponseHead, BodyDecoder)>,
    response: Option<Response>,
}

impl<'a> Asked<'a> {
    /// Connects and sends the request. Blocks: what to do about that, and about
    /// names, is left to the crate.
    fn new(request: &'a Request) -> Result<Self, Box<dyn Error>> {
        let address = request.literal_address();
        let address = address.ok_or("the host of the URL has to be an address")?;
        let mut stream = TcpStream::connect(address)?;
        let mut outgoing = request.encode();
        while outgoing.has_remaining() {
            let sent = stream.write(outgoing.chunk())?;
            outgoing.advance(sent);
        }
        stream.set_nonblocking(true)?;
        Ok(Asked {
            request,
            stream,
            buffer: BytesMut::new(),
            parser: HeadParser::new(),
            body: None,
            response: None,
        })
    }

    /// Asks the socket once, and goes as far as that leads.
    fn ask_again(&mut self, cost: &mut Cost) -> Result<(), FetchError> {
        if self.response.is_some() {
            return Ok(());
        }
        let mut chunk = [0; 4096];
        cost.reads += 1;
        let ended = match self.stream.read(&mut chunk) {
            Ok(length) => {
                self.buffer.extend_from_slice(&chunk[..length]);
                length == 0
            }
            Err(error) if is_not_yet(&error) => {
                cost.in_vain += 1;
                return Ok(());
            }
            Err(error) => return Err(FetchError::from_system("reading", &error)),
        };
        if self.body.is_none()
            && let Some(head) = self.parser.parse(&mut self.buffer)?
        {
            let body = BodyDecoder::new(self.request.method(), &head, 1 << 20)?;
            self.body = Some((head, body));
        }
        let Some((head, mut body)) = self.body.take() else {
            return if ended {
                Err(FetchError::closed_before_head())
            } else {
                Ok(())
            };
        };
        let mut complete = body.decode(&mut self.buffer)?;
        if ended && !complete {
            body.end_of_input()?;
            complete = true;
        }
        if complete {
            self.response = Some(head.into_response(body));
        } else {
            self.body = Some((head, body));
        }
        Ok(())
    }
}

fn is_not_yet(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The processor time of this thread so far. Linux counts it in hundredths of a
/// second, in the fields `utime` and `stime` of proc(5).
#[cfg(target_os = "linux")]
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").ok()?;
    // The second field is a name in parentheses, and may hold anything. These
    // two are the 14th and the 15th.
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks(14)? + ticks(15)?) * 10))
}

#[cfg(not(target_os = "linux"))]
fn cpu_time() -> Option<Duration> {
    None
}
