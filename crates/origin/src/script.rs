//! Scripts: what the origin does on one connection, step by step.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

/// The most bytes that the [`Step::Send`]s of a script may hold together (64 MiB).
pub const MAX_SCRIPT_BYTES: usize = 64 << 20;

/// The most steps of a script.
pub const MAX_SCRIPT_STEPS: usize = 100_000;

/// One thing the origin does on a connection.
///
/// A client that leaves ends the script, and half-closing counts as leaving:
/// the origin cannot tell the two apart. While it sends or pauses, the origin
/// sees the client leave only if the request was read whole, because the end
/// of the stream comes after the bytes that were not read.
///
/// A step that waits for its client, to send or to read or to leave, for more
/// than ten minutes gives up with a reset.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Read until the request's head is complete. The body stays unread but
    /// for what came along with the head. A bad head is answered with 400.
    ExpectHead,
    /// Read until the whole request is there, its body counted or chunked. A
    /// bad request is answered with 400.
    ExpectRequest,
    /// Write these bytes, by themselves: in one call if the system takes them.
    Send(Bytes),
    /// Write that many bytes, made on the way: offset `i` holds `b'a' + i % 26`.
    Fill(u64),
    /// Write bytes as [`Fill`](Step::Fill) does, the first at once and then
    /// one each `every`.
    Drip {
        /// How many.
        bytes: u64,
        /// The time from one to the next.
        every: Duration,
    },
    /// As [`ExpectRequest`](Step::ExpectRequest); then answer 200 with the
    /// request's head, byte for byte, as the body (none for HEAD).
    Echo,
    /// Wait that long.
    Pause(Duration),
    /// Shut down writing; then read and discard until the client leaves.
    Fin,
    /// If the request was read whole: shut down writing, read and discard
    /// until the client leaves (5 s at most), close. So no reset destroys the
    /// response. Otherwise close at once; bytes left unread make that a reset.
    Close,
    /// Reset the connection (linger 0). What the client has not received yet
    /// is lost, so a script that wants it to arrive pauses first.
    Reset,
    /// Keep the connection open, read and discard, until the client leaves.
    Stall,
    /// Keep the connection open and read nothing any more. The client is not
    /// seen leaving, unless it resets.
    StallUnread,
}

impl Step {
    fn writes(&self) -> bool {
        matches!(
            self,
            Step::Send(_) | Step::Fill(_) | Step::Drip { .. } | Step::Echo
        )
    }
}

/// The steps that the origin takes on a connection, in order.
///
/// `Fin`, `Close`, `Reset`, `Stall` and `StallUnread` are final: steps after
/// them are never reached. A script without one of them ends in a `Close`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    steps: Vec<Step>,
}

impl Script {
    /// No steps yet.
    pub fn new() -> Script {
        Script::default()
    }

    /// Answers any request with its own head: [`Step::Echo`], then a close.
    pub fn echo() -> Script {
        Script::new().step(Step::Echo).close()
    }

    /// Adds any step.
    #[must_use]
    pub fn step(mut self, step: Step) -> Script {
        self.steps.push(step);
        self
    }

    /// Adds [`Step::ExpectHead`].
    #[must_use]
    pub fn expect_head(self) -> Script {
        self.step(Step::ExpectHead)
    }

    /// Adds [`Step::ExpectRequest`].
    #[must_use]
    pub fn expect_request(self) -> Script {
        self.step(Step::ExpectRequest)
    }

    /// Adds [`Step::Send`].
    #[must_use]
    pub fn send(self, bytes: impl Into<Bytes>) -> Script {
        self.step(Step::Send(bytes.into()))
    }

    /// Adds [`Step::Fill`].
    #[must_use]
    pub fn fill(self, bytes: u64) -> Script {
        self.step(Step::Fill(bytes))
    }

    /// Adds [`Step::Drip`].
    #[must_use]
    pub fn drip(self, bytes: u64, every: Duration) -> Script {
        self.step(Step::Drip { bytes, every })
    }

    /// Adds [`Step::Pause`].
    #[must_use]
    pub fn pause(self, time: Duration) -> Script {
        self.step(Step::Pause(time))
    }

    /// Adds [`Step::Fin`].
    #[must_use]
    pub fn fin(self) -> Script {
        self.step(Step::Fin)
    }

    /// Adds [`Step::Close`].
    #[must_use]
    pub fn close(self) -> Script {
        self.step(Step::Close)
    }

    /// Adds [`Step::Reset`].
    #[must_use]
    pub fn reset(self) -> Script {
        self.step(Step::Reset)
    }

    /// Adds [`Step::Stall`].
    #[must_use]
    pub fn stall(self) -> Script {
        self.step(Step::Stall)
    }

    /// Adds [`Step::StallUnread`].
    #[must_use]
    pub fn stall_unread(self) -> Script {
        self.step(Step::StallUnread)
    }

    /// Checks the size and puts the steps where connections can share them.
    pub(crate) fn compile(self) -> Result<Program, ScriptTooLarge> {
        let sent = |step: &Step| match step {
            Step::Send(bytes) => bytes.len(),
            _ => 0,
        };
        let bytes = self.steps.iter().map(sent).fold(0, usize::saturating_add);
        let steps = self.steps.len();
        if bytes > MAX_SCRIPT_BYTES || steps > MAX_SCRIPT_STEPS {
            return Err(ScriptTooLarge { bytes, steps });
        }
        Ok(Program::from_trusted(self))
    }
}

/// A script as connections share it.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) steps: Arc<[Step]>,
    /// The step after which the response is complete.
    pub(crate) last_write: Option<usize>,
}

impl Program {
    /// From a script known to be of moderate size.
    pub(crate) fn from_trusted(script: Script) -> Program {
        Program {
            last_write: script.steps.iter().rposition(Step::writes),
            steps: script.steps.into(),
        }
    }
}

/// A script exceeds [`MAX_SCRIPT_BYTES`] or [`MAX_SCRIPT_STEPS`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptTooLarge {
    /// The bytes of its `Send` steps.
    pub bytes: usize,
    /// Its steps.
    pub steps: usize,
}

impl fmt::Display for ScriptTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the script sends {} bytes in {} steps, but at most {MAX_SCRIPT_BYTES} bytes and \
             {MAX_SCRIPT_STEPS} steps are allowed; use Step::Fill for a large body",
            self.bytes, self.steps
        )
    }
}

impl Error for ScriptTooLarge {}
