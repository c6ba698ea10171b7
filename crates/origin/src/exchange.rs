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

mod calls;
mod steps;

use std::time::{Duration, Instant};

use bytes::Bytes;
use mio::net::TcpStream;

use crate::journal::End;
use crate::request::{BadRequest, Request};
use crate::routes;
use crate::script::{Program, Step};
use crate::state::State;
use steps::{fill, whole};

pub(crate) use steps::FILL_PERIOD;

/// The most bytes that one exchange reads and writes before others get their
/// turn.
const TURN_BUDGET: usize = 256 << 10;

/// What a step costs of the budget beside its bytes.
const STEP_COST: usize = 256;

/// How long a step may wait for the client. Nobody waits that long for a test;
/// it is there so that a forgotten client does not hold a descriptor for ever.
const PATIENCE: Duration = Duration::from_secs(600);

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
    After,
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
    pub(crate) fn enter_flight(&mut self, state: &State) {
        if self.flight == Flight::Before {
            self.flight = Flight::In;
            state.journal().add_in_flight();
        }
    }

    /// Is it still to be counted?
    pub(crate) fn is_fresh(&self) -> bool {
        self.flight == Flight::Before
    }

    /// Writes the end into the journal.
    pub(crate) fn end(&mut self, end: End, state: &State) {
        self.leave_flight(state);
        let mut journal = state.journal();
        journal.note_request(self.id, self.request.received());
        journal.close(self.id, end);
    }

    /// It is no longer in flight. If it was never counted, it is counted now, for
    /// this moment: beside those that were counted before it.
    fn leave_flight(&mut self, state: &State) {
        self.enter_flight(state);
        if self.flight == Flight::In {
            self.flight = Flight::After;
            state.journal().remove_in_flight();
        }
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
            self.leave_flight(cx.state);
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

#[cfg(test)]
mod tests;
