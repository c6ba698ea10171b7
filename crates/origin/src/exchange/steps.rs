//! What each step of a script does.

use std::io::ErrorKind;
use std::net::Shutdown;
use std::time::{Duration, Instant};

use super::{Context, Exchange, Flow, PATIENCE};
use crate::journal::End;
use crate::request::Request;
use crate::routes;

/// How long a `Close` waits for the client to close, too.
const DRAIN: Duration = Duration::from_secs(5);

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

impl Exchange {
    /// Reads until `enough`; a bad request is refused.
    pub(super) fn expect(
        &mut self,
        enough: fn(&Request) -> bool,
        cx: &mut Context<'_>,
    ) -> Result<Flow, End> {
        let flow = self.receive(|r| enough(r) || r.bad().is_some(), cx)?;
        match self.request.bad() {
            Some(bad) => Ok(self.refuse(bad)),
            None => Ok(flow),
        }
    }

    pub(super) fn drip(
        &mut self,
        bytes: u64,
        every: Duration,
        cx: &mut Context<'_>,
    ) -> Result<Flow, End> {
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

    pub(super) fn echo(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.reply.is_empty() {
            match self.expect(Request::is_whole, cx)? {
                Flow::Done => self.reply = routes::echo(&self.request),
                flow => return Ok(flow),
            }
        }
        let reply = self.reply.clone();
        self.send(reply.len() as u64, whole(&reply), cx)
    }

    pub(super) fn pause(&mut self, time: Duration, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.due(time) {
            return Ok(Flow::Done);
        }
        self.watch(cx)
    }

    pub(super) fn close(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
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

    pub(super) fn shut_down(&mut self, cx: &Context<'_>) -> Result<(), End> {
        if self.shut_down {
            return Ok(());
        }
        let shut = self.stream.shutdown(Shutdown::Write);
        shut.map_err(|_| self.left(End::ClientReset, cx))?;
        self.shut_down = true;
        let mut journal = cx.state.journal();
        journal.note(self.id, |c| c.origin_fin_at = Some(Instant::now()));
        Ok(())
    }

    /// Whether `time` has passed since this was first asked in this step.
    pub(super) fn due(&mut self, time: Duration) -> bool {
        let now = Instant::now();
        let until = now.checked_add(time).unwrap_or(now + PATIENCE);
        *self.until.get_or_insert(until) <= now
    }
}

pub(super) fn whole<'a>(bytes: &'a [u8]) -> impl Fn(u64) -> &'a [u8] {
    // The offset is at most the length, which is a usize.
    |offset| &bytes[offset as usize..]
}

pub(super) fn fill<'a>(offset: u64) -> &'a [u8] {
    &FILL[(offset % FILL_PERIOD as u64) as usize..]
}
