//! One exchange: a connection, what was received on it, and how far its
//! script has come.
//!
//! Where did the work stop? In these fields. Who makes it continue? The
//! reactor, which calls [`Exchange::drive`] after each event or timer:
//!
//! ```text
//! head being read ──▶ routed ──▶ step 0 ──▶ step 1 ──▶ … ──▶ over
//!    (own listeners begin here ──┘)   each step may wait for readable,
//!                                     writable or a time
//! ```
//!
//! Readiness is never stored: a step tries its system call and waits only
//! after `WouldBlock`. That is what edge-triggered polling asks for, and it
//! makes spurious events harmless.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use bytes::Bytes;
use mio::net::TcpStream;

use crate::journal::End;
use crate::request::{BadRequest, Request};
use crate::routes::{self, State};
use crate::script::{Program, Step};

/// The most bytes that one exchange reads and writes before others get their
/// turn.
const TURN_BUDGET: usize = 256 << 10;

/// What a step costs of the budget beside its bytes.
const STEP_COST: usize = 256;

/// How much is read at once while only the head is wanted: what is read beyond
/// it no longer fills the client's window.
const HEAD_READ: usize = 4096;

/// How long a `Close` waits for the client to close, too.
const DRAIN: Duration = Duration::from_secs(5);

/// How long a step may wait for the client. Nobody waits that long for a test;
/// it is there so that a forgotten client does not hold a descriptor for ever.
const PATIENCE: Duration = Duration::from_secs(600);

/// The length of the pattern that `Fill` repeats: whole alphabets.
pub(crate) const FILL_PERIOD: usize = 26 * 2520;

static FILL: [u8; FILL_PERIOD] = {
    let mut pattern = [0; FILL_PERIOD];
    let mut at = 0;
    while at < FILL_PERIOD {
        pattern[at] = b'a' + (at % 26) as u8;
        at += 1;
    }
    pattern
};

/// One connection's state.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(crate) stream: TcpStream,
    pub(crate) id: u64,
    request: Request,
    /// None until a route is found.
    program: Option<Program>,
    /// The step it is at, and that step's progress:
    at: usize,
    began: Instant,
    sent: u64,
    until: Option<Instant>,
    /// What `Echo` answers.
    reply: Bytes,
    rejected: bool,
    shut_down: bool,
    flight: Flight,
}

/// What became of a turn.
pub(crate) enum Turn {
    /// It waits for an event, at the latest until then.
    Wait(Instant),
    /// The budget is spent; no event will come for what is left to do.
    Again,
    /// The connection is to be closed.
    Over(End),
}

/// What the turn works with.
pub(crate) struct Context<'a> {
    pub(crate) state: &'a State,
    pub(crate) scratch: &'a mut [u8],
    /// Bytes that may still be read and written in this turn.
    pub(crate) budget: usize,
}

enum Flow {
    /// Go on with the next step.
    Done,
    /// Go on with the first step of another script.
    Replaced,
    /// An event or the alarm has to come first.
    Blocked,
    /// The budget is spent.
    Spent,
}

/// Whether it is counted as in flight.
#[derive(Debug, PartialEq, Eq)]
enum Flight {
    /// Not yet counted.
    Before,
    In,
    Landed,
}

impl Exchange {
    pub(crate) fn new(stream: TcpStream, id: u64, program: Option<Program>) -> Exchange {
        Exchange {
            stream,
            id,
            request: Request::default(),
            program,
            at: 0,
            began: Instant::now(),
            sent: 0,
            until: None,
            reply: Bytes::new(),
            rejected: false,
            shut_down: false,
            flight: Flight::Before,
        }
    }

    /// Goes on as far as possible.
    pub(crate) fn drive(&mut self, cx: &mut Context<'_>) -> Turn {
        cx.budget = TURN_BUDGET;
        loop {
            match self.step(cx) {
                Ok(Flow::Done | Flow::Replaced) => {
                    cx.budget = cx.budget.saturating_sub(STEP_COST);
                }
                Ok(Flow::Spent) => return Turn::Again,
                Ok(Flow::Blocked) => {
                    let alarm = self.until.unwrap_or(self.began + PATIENCE);
                    if self.until.is_none() && alarm <= Instant::now() {
                        return Turn::Over(End::OriginReset);
                    }
                    return Turn::Wait(alarm);
                }
                Err(end) => return Turn::Over(end),
            }
        }
    }

    /// Counts it as in flight from now on. The reactor says when.
    pub(crate) fn take_off(&mut self, state: &State) {
        if self.flight == Flight::Before {
            self.flight = Flight::In;
            state.journal().takes_off();
        }
    }

    /// Is it still to be counted?
    pub(crate) fn is_fresh(&self) -> bool {
        self.flight == Flight::Before
    }

    /// Writes the end into the journal.
    pub(crate) fn end(&mut self, end: End, state: &State) {
        self.land(state);
        let mut journal = state.journal();
        journal.note_request(self.id, self.request.received());
        journal.close(self.id, end);
    }

    fn land(&mut self, state: &State) {
        if self.flight == Flight::In {
            state.journal().lands();
        }
        self.flight = Flight::Landed;
    }

    fn step(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if cx.budget == 0 {
            return Ok(Flow::Spent);
        }
        let Some(program) = &self.program else {
            return self.route(cx);
        };
        let step = program.steps.get(self.at).cloned();
        let flow = match step.unwrap_or(Step::Close) {
            Step::ExpectHead => self.expect(|request| request.head().is_some(), cx)?,
            Step::ExpectRequest => self.expect(Request::is_whole, cx)?,
            Step::Send(bytes) => self.send(bytes.len() as u64, whole(&bytes), cx)?,
            Step::Fill(length) => self.send(length, fill, cx)?,
            Step::Drip { bytes, every } => self.drip(bytes, every, cx)?,
            Step::Echo => self.echo(cx)?,
            Step::Pause(time) => self.pause(time, cx)?,
            Step::Fin => {
                self.shut_down(cx)?;
                self.receive(|_| false, cx)?
            }
            Step::Close => self.close(cx)?,
            Step::Reset => return Err(End::OriginReset),
            Step::Stall => self.receive(|_| false, cx)?,
            Step::StallUnread => self.look_for_reset(cx)?,
        };
        if let Flow::Done = flow {
            self.advance(cx);
        }
        Ok(flow)
    }

    fn advance(&mut self, cx: &Context<'_>) {
        let last_write = self.program.as_ref().and_then(|p| p.last_write);
        if last_write == Some(self.at) {
            self.land(cx.state);
            let mut journal = cx.state.journal();
            journal.note(self.id, |c| c.response_done_at = Some(Instant::now()));
        }
        self.at += 1;
        self.begin_step();
    }

    fn begin_step(&mut self) {
        self.began = Instant::now();
        self.sent = 0;
        self.until = None;
    }

    /// Reads the head and finds the script that answers it.
    fn route(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        let flow = self.expect(|request| request.head().is_some(), cx)?;
        match (&flow, self.request.head()) {
            (Flow::Done, Some(head)) => {
                let program = routes::answer(head, cx.state);
                Ok(self.replace(program))
            }
            _ => Ok(flow),
        }
    }

    fn refuse(&mut self, bad: BadRequest) -> Flow {
        self.rejected = true;
        self.replace(routes::refusal(bad))
    }

    fn replace(&mut self, program: Program) -> Flow {
        self.program = Some(program);
        self.at = 0;
        self.begin_step();
        Flow::Replaced
    }
}

// The steps.
impl Exchange {
    /// Reads until `enough`; a bad request is refused.
    fn expect(&mut self, enough: fn(&Request) -> bool, cx: &mut Context<'_>) -> Result<Flow, End> {
        let flow = self.receive(|r| enough(r) || r.bad().is_some(), cx)?;
        match self.request.bad() {
            Some(bad) => Ok(self.refuse(bad)),
            None => Ok(flow),
        }
    }

    fn drip(&mut self, bytes: u64, every: Duration, cx: &mut Context<'_>) -> Result<Flow, End> {
        while self.sent < bytes {
            if self.until.is_some_and(|until| Instant::now() < until) {
                return self.watch(cx);
            }
            self.until = None;
            match self.send(self.sent + 1, fill, cx)? {
                Flow::Done => self.due(every),
                flow => return Ok(flow),
            };
        }
        Ok(Flow::Done)
    }

    fn echo(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.reply.is_empty() {
            match self.expect(Request::is_whole, cx)? {
                Flow::Done => self.reply = routes::echo(&self.request),
                flow => return Ok(flow),
            }
        }
        let reply = self.reply.clone();
        self.send(reply.len() as u64, whole(&reply), cx)
    }

    fn pause(&mut self, time: Duration, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.due(time) {
            return Ok(Flow::Done);
        }
        self.watch(cx)
    }

    fn close(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if !self.request.is_whole() && !self.rejected {
            // Closing with bytes unread makes the system send a reset.
            return Err(match self.stream.peek(&mut [0]) {
                Ok(0) => self.left(End::ClientFin, cx),
                Ok(_) => End::OriginReset,
                Err(error) if error.kind() == ErrorKind::WouldBlock => End::OriginFin,
                Err(_) => self.left(End::ClientReset, cx),
            });
        }
        self.shut_down(cx)?;
        if self.due(DRAIN) {
            return Err(End::OriginFin);
        }
        self.receive(|_| false, cx)
    }

    fn shut_down(&mut self, cx: &Context<'_>) -> Result<(), End> {
        if self.shut_down {
            return Ok(());
        }
        let shut = self.stream.shutdown(std::net::Shutdown::Write);
        shut.map_err(|_| self.left(End::ClientReset, cx))?;
        self.shut_down = true;
        let mut journal = cx.state.journal();
        journal.note(self.id, |c| c.origin_fin_at = Some(Instant::now()));
        Ok(())
    }

    /// Whether `time` has passed since this was first asked in this step.
    fn due(&mut self, time: Duration) -> bool {
        let now = Instant::now();
        let until = now.checked_add(time).unwrap_or(now + PATIENCE);
        *self.until.get_or_insert(until) <= now
    }
}

// The system calls.
impl Exchange {
    /// Reads until `enough`, the client leaves, or there is no more for now.
    fn receive(
        &mut self,
        enough: impl Fn(&Request) -> bool,
        cx: &mut Context<'_>,
    ) -> Result<Flow, End> {
        while !enough(&self.request) {
            if cx.budget == 0 {
                return Ok(Flow::Spent);
            }
            let most = match self.request.head() {
                None => HEAD_READ,
                Some(_) => cx.scratch.len(),
            };
            match self.stream.read(&mut cx.scratch[..most.min(cx.budget)]) {
                Ok(0) => return Err(self.left(End::ClientFin, cx)),
                Ok(n) => {
                    cx.budget -= n;
                    let (received, state) = (&cx.scratch[..n], cx.state);
                    self.received(received, state);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(Flow::Blocked),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.left(End::ClientReset, cx)),
            }
        }
        Ok(Flow::Done)
    }

    fn received(&mut self, bytes: &[u8], state: &State) {
        let had_head = self.request.head().is_some();
        let was_whole = self.request.is_whole();
        self.request.feed(bytes);
        let mut journal = state.journal();
        journal.note(self.id, |c| c.request_bytes = self.request.total());
        if let (false, Some(head)) = (had_head, self.request.head()) {
            journal.note(self.id, |c| c.target = Some(head.target.clone()));
            journal.note_request(self.id, self.request.received());
        }
        if !was_whole && self.request.is_whole() {
            journal.note(self.id, |c| c.request_whole_at = Some(Instant::now()));
            journal.note_request(self.id, self.request.received());
        }
    }

    /// Writes up to `length` bytes of this step; `piece` gives what comes at
    /// an offset.
    fn send<'a>(
        &mut self,
        length: u64,
        piece: impl Fn(u64) -> &'a [u8],
        cx: &mut Context<'_>,
    ) -> Result<Flow, End> {
        while self.sent < length {
            if cx.budget == 0 {
                return Ok(Flow::Spent);
            }
            let left = usize::try_from(length - self.sent).unwrap_or(usize::MAX);
            let piece = piece(self.sent);
            let piece = &piece[..piece.len().min(left).min(cx.budget)];
            match self.stream.write(piece) {
                Ok(n) if n > 0 => {
                    cx.budget -= n;
                    self.sent += n as u64;
                    let mut journal = cx.state.journal();
                    journal.note(self.id, |c| c.response_sent += n as u64);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return self.watch(cx),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(_) | Err(_) => return Err(self.left(End::ClientReset, cx)),
            }
        }
        Ok(Flow::Done)
    }

    /// Before it waits for something else, looks whether the client leaves.
    /// The edge may be past already, so it is not enough to wait for an event.
    fn watch(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.request.is_whole() {
            return self.receive(|_| false, cx);
        }
        self.look_for_reset(cx)
    }

    /// All that can be seen of a client whose bytes stay unread.
    fn look_for_reset(&mut self, cx: &Context<'_>) -> Result<Flow, End> {
        match self.stream.take_error() {
            Ok(None) => Ok(Flow::Blocked),
            Ok(Some(_)) | Err(_) => Err(self.left(End::ClientReset, cx)),
        }
    }

    /// Notes that the client left; gives who ended the connection first.
    fn left(&self, how: End, cx: &Context<'_>) -> End {
        let mut journal = cx.state.journal();
        journal.note(self.id, |c| c.client_left_at = Some(Instant::now()));
        match self.shut_down {
            true => End::OriginFin,
            false => how,
        }
    }
}

fn whole<'a>(bytes: &'a [u8]) -> impl Fn(u64) -> &'a [u8] {
    // The offset is at most the length, which is a usize.
    |offset| &bytes[offset as usize..]
}

fn fill<'a>(offset: u64) -> &'a [u8] {
    &FILL[(offset % FILL_PERIOD as u64) as usize..]
}
