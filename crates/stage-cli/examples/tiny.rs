//! The smallest stage: straight-line code on blocking sockets, one thread a
//! fetch beyond the first. The tests of this crate run it as a program.
//!
//! It keeps the number in flight only by working in groups, and looks at the
//! deadline only when a call returns: see stage 1 for how it is done.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use bytes::{Buf, BytesMut};
use fetch_core::wait::{self, By, On};
use fetch_core::{
    BodyDecoder, FetchError, HeadParser, Home, Options, Request, Response, Stage, home_requests,
};
use stage_cli::{About, OwnOption};

const ABOUT: About = About {
    name: "tiny",
    title: "the smallest stage, for tests of the command line",
    where_it_stopped: "In a call to read, on the stack of a thread.",
    who_continues: "The kernel.",
    own_options: &[OwnOption {
        name: "client",
        value: "plain|none",
        help: "who fetches",
    }],
};

fn main() -> ExitCode {
    stage_cli::main(&ABOUT, |own| match own.get("client") {
        None | Some("plain") => Ok(Tiny),
        Some(other) => Err(format!("--client must be plain, and not {other:?}")),
    })
}

struct Tiny;

impl Stage for Tiny {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let indexed: Vec<_> = requests.into_iter().enumerate().collect();
        let mut results = Vec::new();
        for group in indexed.chunks(options.max_in_flight.get()) {
            thread::scope(|scope| {
                let threads: Vec<_> = group
                    .iter()
                    .map(|(id, request)| scope.spawn(|| run(*id, request, options)))
                    .collect();
                let ended = threads.into_iter().map(|thread| thread.join());
                results.extend(ended.map(|end| end.unwrap_or(Err(FetchError::Cancelled))));
            });
        }
        results
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let mut results = self.fetch_all(home_requests(origin, user)?.into(), options);
        let (orders, profile) = (results.pop(), results.pop());
        Ok(Home {
            profile: profile.unwrap_or(Err(FetchError::Cancelled))?,
            orders: orders.unwrap_or(Err(FetchError::Cancelled))?,
        })
    }
}

fn run(id: usize, request: &Request, options: &Options) -> Result<Response, FetchError> {
    wait::started(id);
    let result = fetch(id, request, options);
    wait::finished(id, &result);
    result
}

fn fetch(id: usize, request: &Request, options: &Options) -> Result<Response, FetchError> {
    let deadline = options.deadline_from(Instant::now());
    wait::waiting(id, On::Connect);
    let connected = TcpStream::connect((request.host(), request.port()));
    resume(id);
    let mut socket =
        connected.map_err(|error| FetchError::connecting(&request.authority(), &error))?;

    let mut outgoing = request.encode();
    let bytes = outgoing.copy_to_bytes(outgoing.remaining());
    socket
        .write_all(&bytes)
        .map_err(|error| FetchError::sending(&error))?;

    let mut more = |buffer: &mut BytesMut| {
        let mut block = [0; 4096];
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = FetchError::Timeout {
            deadline: options.deadline,
        };
        if left.is_zero() || socket.set_read_timeout(Some(left)).is_err() {
            return Err(timeout);
        }
        wait::waiting(id, On::Readable);
        let read = socket.read(&mut block);
        resume(id);
        match read {
            Ok(count) => buffer.extend_from_slice(&block[..count]),
            Err(_) => return Err(timeout),
        }
        Ok(read.unwrap_or(0))
    };
    let mut buffer = BytesMut::new();
    let mut parser = HeadParser::new();
    let head = loop {
        if let Some(head) = parser.parse(&mut buffer)? {
            break head;
        }
        if more(&mut buffer)? == 0 {
            return Err(FetchError::closed_before_head());
        }
    };
    let mut body = BodyDecoder::new(request.method(), &head, options.max_body_bytes)?;
    while !body.decode(&mut buffer)? {
        if more(&mut buffer)? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(head.into_response(body))
}

/// The kernel does both at once.
fn resume(id: usize) {
    wait::woken(id, By::Kernel);
    wait::resumed(id);
}
