//! One fetch: stage 1's function, cut at every place where it could wait.
//!
//! What was a local variable there is a field here, and what was the place in
//! the code is `Phase`. Each function does what can be done and returns; the
//! loop calls again when there may be more to do.

use std::io::{self, ErrorKind};
use std::mem;
use std::net::SocketAddr;
use std::time::Instant;

use bytes::BytesMut;
use fetch_core::wait::On;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};
use mio::Registry;
use mio::event::Event;

use crate::attempts::Attempts;
use crate::connection::Connection;
use crate::turn::Turn;

/// An unfinished fetch, while nobody runs it.
#[derive(Debug)]
pub struct Fetch<'a> {
    request: &'a Request,
    options: &'a Options,
    deadline: Instant,
    phase: Phase,
    /// The socket, what of the request is sent, and what is known of its
    /// readiness. From `Connecting` on.
    connection: Option<Connection>,
    /// What has been read and is not understood yet.
    buffer: BytesMut,
}

/// Where the work stopped, and what only that place needs.
#[derive(Debug)]
enum Phase {
    Resolving,
    Connecting(Attempts),
    /// Until all is sent, or an answer has begun.
    Sending,
    ReadingHead(HeadParser),
    ReadingBody {
        head: ResponseHead,
        body: BodyDecoder,
    },
    Done,
}

/// What running a fetch for a turn comes to. `Ok(None)`: it has to wait, or its
/// turn is over.
pub type Progress = Result<Option<Response>, FetchError>;

impl<'a> Fetch<'a> {
    /// A fetch that begins now. Its deadline runs.
    pub fn new(request: &'a Request, options: &'a Options) -> Self {
        Fetch {
            request,
            options,
            deadline: options.deadline_from(Instant::now()),
            phase: Phase::Resolving,
            connection: None,
            buffer: BytesMut::new(),
        }
    }

    /// The first step: resolves the host, or connects if there is nothing to
    /// resolve.
    ///
    /// # Errors
    ///
    /// `resources`, and those of connecting.
    pub fn start(&mut self, turn: &mut Turn<'_>) -> Progress {
        if let Some(address) = self.request.literal_address() {
            return self.connect(vec![address], turn);
        }
        turn.resolver
            .ask(turn.token, self.request.host(), self.request.port())
            .map_err(|error| FetchError::no_thread(&error))?;
        Ok(None)
    }

    /// The resolver has answered.
    ///
    /// # Errors
    ///
    /// `dns-failure`, and those of connecting.
    pub fn on_resolved(
        &mut self,
        answer: io::Result<Vec<SocketAddr>>,
        turn: &mut Turn<'_>,
    ) -> Progress {
        let reason = match answer {
            Ok(addresses) if !addresses.is_empty() => return self.connect(addresses, turn),
            Ok(_) => ErrorKind::NotFound.into(),
            Err(error) => error,
        };
        Err(FetchError::resolving(&self.request.host(), &reason))
    }

    /// The moment that [`alarm`](Self::alarm) named has come.
    ///
    /// # Errors
    ///
    /// `timeout` at the deadline. Before it, an address has used up its share
    /// of the time, and the errors are those of connecting to the next.
    pub fn on_timer(&mut self, turn: &mut Turn<'_>) -> Progress {
        if turn.now >= self.deadline {
            return Err(FetchError::Timeout {
                deadline: self.options.deadline,
            });
        }
        self.connect_next(ErrorKind::TimedOut.into(), turn)?;
        Ok(None)
    }

    /// The socket may be ready. First out, then in: an answer is not expected
    /// before the request has been sent, though it is seen if it is there.
    ///
    /// # Errors
    ///
    /// What is wrong with the response, or with the connection.
    pub fn on_ready(&mut self, turn: &mut Turn<'_>) -> Progress {
        self.on_writable(turn)?;
        self.on_readable(turn)
    }

    /// Sends what the socket takes, whatever comes the other way meanwhile: a
    /// server may answer before it has read everything, and an interim head
    /// says nothing about the rest of the body.
    /// It never ends a fetch well, since that takes an answer.
    fn on_writable(&mut self, turn: &mut Turn<'_>) -> Result<(), FetchError> {
        let Some(connection) = &mut self.connection else {
            return Ok(());
        };
        if let Phase::Connecting(_) = self.phase {
            match connection.is_connected() {
                Ok(true) => self.phase = Phase::Sending,
                Ok(false) => return Ok(()),
                Err(error) => return self.connect_next(error, turn),
            }
        }
        connection.send_request(turn);
        Ok(())
    }

    /// Reads what has come, and goes as far as it leads.
    fn on_readable(&mut self, turn: &mut Turn<'_>) -> Progress {
        let Some(connection) = &mut self.connection else {
            return Ok(None);
        };
        let buffer = &mut self.buffer;
        loop {
            match &mut self.phase {
                Phase::Resolving | Phase::Connecting(_) | Phase::Done => return Ok(None),
                Phase::Sending => {
                    if connection.is_sending() && !connection.answer_has_begun() {
                        return Ok(None);
                    }
                    // What is not sent by now goes out while we read.
                    self.phase = Phase::ReadingHead(HeadParser::new());
                }
                Phase::ReadingHead(parser) => {
                    let Some(head) = read_head(connection, buffer, parser, turn)? else {
                        return Ok(None);
                    };
                    let body = BodyDecoder::new(
                        self.request.method(),
                        &head,
                        self.options.max_body_bytes,
                    )?;
                    self.phase = Phase::ReadingBody { head, body };
                }
                Phase::ReadingBody { body, .. } => {
                    if !read_body(connection, buffer, body, turn)? {
                        return Ok(None);
                    }
                    break;
                }
            }
        }
        match mem::replace(&mut self.phase, Phase::Done) {
            Phase::ReadingBody { head, body } => Ok(Some(head.into_response(body))),
            _ => Ok(None),
        }
    }

    /// Remembers what the reactor reports of the socket.
    pub fn note(&mut self, event: &Event) {
        if let Some(connection) = &mut self.connection {
            connection.note(event);
        }
    }

    /// Whether there is something to do without a new event: what was reported
    /// is not used up.
    pub fn can_go_on(&self) -> bool {
        match (&self.phase, &self.connection) {
            (_, None) => false,
            (Phase::Connecting(_), Some(connection)) => connection.can_send(),
            (_, Some(connection)) => connection.can_send() || connection.can_read(),
        }
    }

    /// What has to happen before it can go on. While it sends, an event in
    /// either direction lets it; the trace names the one that it needs.
    pub fn waits_for(&self) -> On {
        match (&self.phase, &self.connection) {
            (Phase::Resolving, _) => On::Name,
            (Phase::Connecting(_), _) => On::Connect,
            (_, Some(connection)) if connection.is_sending() => On::Writable,
            _ => On::Readable,
        }
    }

    /// When to call [`on_timer`](Self::on_timer), whatever else happens.
    pub fn alarm(&self) -> Instant {
        match &self.phase {
            Phase::Connecting(attempts) => attempts.until(),
            _ => self.deadline,
        }
    }

    /// Lets go of the socket. A stack would have done so by unwinding; of a
    /// field, somebody has to think.
    pub fn close(self, registry: &Registry) {
        if let Some(connection) = self.connection {
            connection.close(registry);
        }
    }

    fn connect(&mut self, addresses: Vec<SocketAddr>, turn: &mut Turn<'_>) -> Progress {
        self.phase = Phase::Connecting(Attempts::new(addresses, self.deadline));
        self.connect_next(ErrorKind::NotFound.into(), turn)?;
        Ok(None)
    }

    /// Turns to the next address. `error` is why the last one failed.
    fn connect_next(&mut self, error: io::Error, turn: &mut Turn<'_>) -> Result<(), FetchError> {
        if let Some(failed) = self.connection.take() {
            failed.close(turn.registry);
        }
        if let Phase::Connecting(attempts) = &mut self.phase {
            let begun = attempts.begin_next(error, self.request, turn);
            let failed = |error| FetchError::connecting(&self.request.authority(), &error);
            self.connection = Some(begun.map_err(failed)?);
        }
        Ok(())
    }
}

/// Reads until the head is complete, or nothing more is there. How far it has
/// come is kept outside: when this is called again it goes on from there.
fn read_head(
    connection: &mut Connection,
    buffer: &mut BytesMut,
    parser: &mut HeadParser,
    turn: &mut Turn<'_>,
) -> Result<Option<ResponseHead>, FetchError> {
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Ok(Some(head));
        }
        match connection.read(buffer, turn, FetchError::reading_head)? {
            Some(0) => return Err(FetchError::closed_before_head()),
            Some(_) => {}
            None => return Ok(None),
        }
    }
}

/// Reads until the body is complete, or nothing more is there. Says whether it
/// is complete.
fn read_body(
    connection: &mut Connection,
    buffer: &mut BytesMut,
    body: &mut BodyDecoder,
    turn: &mut Turn<'_>,
) -> Result<bool, FetchError> {
    while !body.decode(buffer)? {
        match connection.read(buffer, turn, FetchError::reading_body)? {
            Some(0) => {
                body.end_of_input()?;
                break;
            }
            Some(_) => {}
            None => return Ok(false),
        }
    }
    Ok(true)
}
