//! The system calls: read, write and look, until they would block.

use std::io::{ErrorKind, Read, Write};
use std::time::Instant;

use super::{Context, Exchange, Flow};
use crate::journal::End;
use crate::request::Request;
use crate::state::State;

/// How much is read at once while only the head is wanted: what is read beyond
/// it no longer fills the client's window.
const HEAD_READ: usize = 4096;

impl Exchange {
    /// Reads until `enough`, the client leaves, or there is no more for now.
    pub(super) fn receive(
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
    pub(super) fn send<'a>(
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
    pub(super) fn watch(&mut self, cx: &mut Context<'_>) -> Result<Flow, End> {
        if self.request.is_whole() {
            return self.receive(|_| false, cx);
        }
        self.look_for_reset(cx)
    }

    /// All that can be seen of a client whose bytes stay unread.
    pub(super) fn look_for_reset(&mut self, cx: &Context<'_>) -> Result<Flow, End> {
        match self.stream.take_error() {
            Ok(None) => Ok(Flow::Blocked),
            Ok(Some(_)) | Err(_) => Err(self.left(End::ClientReset, cx)),
        }
    }

    /// Notes that the client left; gives who ended the connection first.
    pub(super) fn left(&self, how: End, cx: &Context<'_>) -> End {
        let mut journal = cx.state.journal();
        journal.note(self.id, |c| c.client_left_at = Some(Instant::now()));
        match self.shut_down {
            true => End::OriginFin,
            false => how,
        }
    }
}
