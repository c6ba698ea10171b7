//! One exchange of the reference stage: request, head, body.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use bytes::{Buf, Bytes, BytesMut};
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};

use super::Fault;
use super::connecting::{Clock, SLICE, connect};

pub(crate) fn fetch(
    request: &Request,
    options: &Options,
    clock: &Clock<'_>,
    fault: Option<Fault>,
) -> Result<Response, FetchError> {
    if fault == Some(Fault::LeaksThreads) {
        thread::spawn(|| thread::sleep(Duration::from_secs(30)));
    }
    let mut exchange = Exchange {
        stream: connect(request, options, clock, fault)?,
        buffer: BytesMut::new(),
        reads: 0,
        clock: Clock { ..*clock },
        fault,
    };
    let result = exchange.run(request, options.max_body_bytes);
    if fault == Some(Fault::LeaksDescriptors) {
        std::mem::forget(exchange.stream.try_clone());
    }
    let is_cancelled = matches!(result, Err(FetchError::Cancelled));
    if is_cancelled && fault == Some(Fault::KeepsCancelledConnections) {
        std::mem::forget(exchange);
    }
    result
}

struct Exchange<'a> {
    stream: TcpStream,
    buffer: BytesMut,
    reads: usize,
    clock: Clock<'a>,
    fault: Option<Fault>,
}

impl Exchange<'_> {
    fn run(&mut self, request: &Request, cap: u64) -> Result<Response, FetchError> {
        let mut parser = HeadParser::new();
        let head = match self.send(request, &mut parser)? {
            Some(head) => head,
            None => self.read_head(&mut parser)?,
        };
        self.read_body(request, head, cap)
    }

    /// Sends the request. Gives the head of an answer that came before it was
    /// sent whole.
    fn send(
        &mut self,
        request: &Request,
        parser: &mut HeadParser,
    ) -> Result<Option<ResponseHead>, FetchError> {
        let mut outgoing = self.outgoing(request);
        let stalled = self.stream.set_write_timeout(Some(2 * SLICE));
        stalled.map_err(|error| FetchError::sending(&error))?;
        while outgoing.has_remaining() {
            self.clock.slice()?;
            match self.stream.write(outgoing.chunk()) {
                Ok(sent) => outgoing.advance(sent),
                Err(error) if is_patience(&error) => {
                    if self.fault == Some(Fault::OnlyWritesThenReads) {
                        continue;
                    }
                    match self.read() {
                        Ok(0) => return Err(FetchError::closed_before_head()),
                        Err(error) if !is_patience(&error) => {
                            return Err(FetchError::reading_head(&error));
                        }
                        _ => {}
                    }
                    if let Some(head) = parser.parse(&mut self.buffer)? {
                        return Ok(Some(head));
                    }
                }
                // It may have answered before it went.
                Err(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    fn outgoing(&self, request: &Request) -> Bytes {
        let mut outgoing = request.encode();
        let mut bytes = outgoing.copy_to_bytes(outgoing.remaining());
        match self.fault {
            Some(Fault::LosesTheBody) => bytes.truncate(bytes.len().min(4 << 20)),
            Some(Fault::SendsTheFirstPartTwice) if bytes.len() > 4 << 20 => {
                let body_again = bytes.slice(1024..2048);
                bytes = [
                    &bytes[..2048],
                    &body_again,
                    &bytes[2048..bytes.len() - 1024],
                ]
                .concat()
                .into();
            }
            Some(Fault::SortsFields) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
                let mut lines: Vec<&str> = head.split("\r\n").collect();
                lines[1..].sort_unstable();
                bytes = format!("{}\r\n\r\n{body}", lines.join("\r\n")).into();
            }
            Some(Fault::ReusesTheUrlOfTheFirst) => {
                let target = bytes.iter().position(|&byte| byte == b'?');
                let end = bytes.windows(9).position(|nine| nine == b" HTTP/1.1");
                if let (Some(target), Some(end)) = (target, end) {
                    bytes = [&bytes[..target], &bytes[end..]].concat().into();
                }
            }
            _ => {}
        }
        bytes
    }

    fn read_head(&mut self, parser: &mut HeadParser) -> Result<ResponseHead, FetchError> {
        loop {
            if let Some(mut head) = parser.parse(&mut self.buffer)? {
                if self.fault == Some(Fault::DropsRepeatedFields) {
                    let names: Vec<_> = head.headers.keys().cloned().collect();
                    for name in names {
                        let first = head.headers[&name].clone();
                        head.headers.insert(name, first);
                    }
                }
                return Ok(head);
            }
            if self.fault == Some(Fault::ReadsOneSegmentOfAHead) && self.reads > 0 {
                return Err(FetchError::closed_before_head());
            }
            self.clock.slice()?;
            match self.read() {
                Ok(0) => return Err(FetchError::closed_before_head()),
                Ok(_) => self.renew_deadline(),
                Err(error) if is_patience(&error) => {}
                Err(error) => return Err(FetchError::reading_head(&error)),
            }
        }
    }

    fn read_body(
        &mut self,
        request: &Request,
        head: ResponseHead,
        cap: u64,
    ) -> Result<Response, FetchError> {
        let cap = if self.fault == Some(Fault::HasNoCap) {
            u64::MAX / 2
        } else {
            cap
        };
        let mut body = BodyDecoder::new(request.method(), &head, cap)?;
        let waits_for_close = self.fault == Some(Fault::WaitsForTheCloseAlways);
        while !body.decode(&mut self.buffer)? || waits_for_close {
            match self.clock.slice() {
                Err(FetchError::Cancelled)
                    if self.fault == Some(Fault::TakesCancelledForSuccess) =>
                {
                    break;
                }
                Err(FetchError::Timeout { .. })
                    if self.fault == Some(Fault::NoDeadlineInTheBody) => {}
                slice => drop(slice?),
            }
            match self.read() {
                Ok(0) if self.fault == Some(Fault::TakesTheEndForSuccess) => break,
                Ok(0) => {
                    body.end_of_input()?;
                    break;
                }
                Ok(_) => self.renew_deadline(),
                Err(error) if is_patience(&error) => {}
                Err(_) if self.fault == Some(Fault::TakesAResetForSuccess) => break,
                Err(error) => return Err(FetchError::reading_body(&error)),
            }
        }
        let mut response = head.into_response(body);
        if self.fault == Some(Fault::LosesABodyByte) {
            let body = response.body_mut();
            body.truncate(body.len().saturating_sub(1));
        }
        Ok(response)
    }

    /// Reads for ten milliseconds at most.
    fn read(&mut self) -> io::Result<usize> {
        let mut bytes = [0; 64 << 10];
        self.stream.set_read_timeout(Some(SLICE))?;
        let count = self.stream.read(&mut bytes)?;
        let mut received = bytes[..count].to_vec();
        let replacement: Option<(&[u8], &[u8])> = match self.fault {
            Some(Fault::AcceptsASignInALength) => Some((b"Length: +", b"Length:  ")),
            Some(Fault::TakesAnInterimHeadForFinal) => Some((b"HTTP/1.1 1", b"HTTP/1.1 2")),
            _ => None,
        };
        if let Some((old, new)) = replacement
            && let Some(at) = received.windows(old.len()).position(|window| window == old)
        {
            received[at..at + new.len()].copy_from_slice(new);
        }
        self.buffer.extend_from_slice(&received);
        self.reads += 1;
        Ok(count)
    }

    fn renew_deadline(&mut self) {
        if self.fault == Some(Fault::DeadlinePerRead) {
            self.clock.until = Instant::now() + self.clock.deadline;
        }
    }
}

/// Nothing is wrong; the slice is over.
fn is_patience(error: &io::Error) -> bool {
    let kinds = [
        ErrorKind::WouldBlock,
        ErrorKind::TimedOut,
        ErrorKind::Interrupted,
    ];
    kinds.contains(&error.kind())
}
