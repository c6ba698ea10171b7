//! The journal: what happened on each connection, for tests to read.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;

/// How many connections the journal remembers.
pub const JOURNAL_CAPACITY: usize = 100_000;

/// How many bytes of requests the journal holds in all (128 MiB); beyond that
/// it forgets the oldest connections.
pub const JOURNAL_REQUEST_BYTES: usize = 128 << 20;

/// What the origin saw of one connection.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Connection {
    /// Counts up in the order of accepting, from 0 at the start of the server.
    pub id: u64,
    /// When it was accepted.
    pub opened: Instant,
    /// The client's address.
    pub peer: SocketAddr,
    /// The request target as it was sent, once the head was read.
    pub target: Option<String>,
    /// The first bytes received, as they came, up to [`MAX_HEAD`](crate::MAX_HEAD):
    /// brought up to date when the head is complete, when the request is whole,
    /// and at the end.
    pub request: Bytes,
    /// All bytes received so far, also those beyond the request.
    pub request_bytes: u64,
    /// When the last byte of the request was read.
    pub request_whole_at: Option<Instant>,
    /// Bytes handed to the system so far.
    pub response_sent: u64,
    /// When the last byte of the script's last write was handed to the system.
    pub response_done_at: Option<Instant>,
    /// When the origin shut down writing.
    pub origin_fin_at: Option<Instant>,
    /// When the origin saw the client's FIN or reset.
    pub client_left_at: Option<Instant>,
    /// When the origin let go of the connection, and who had ended it first.
    pub ended: Option<(Instant, End)>,
}

/// Who ended a connection first, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client closed or half-closed it.
    ClientFin,
    /// The client reset it, or it broke.
    ClientReset,
    /// The origin closed or half-closed it.
    OriginFin,
    /// The origin reset it: by `Reset`, by closing with bytes unread, or when
    /// a step lasted too long.
    OriginReset,
}

/// The journal as the event loop keeps it.
///
/// Entries are shared: whoever takes a snapshot copies reference counts, and
/// the loop copies only an entry that it changes while a snapshot holds it.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<Arc<Connection>>,
    /// The id of the first entry; ids are dense, so they are found by position.
    first: u64,
    request_bytes: usize,
    open: usize,
    in_flight: usize,
    peak_in_flight: usize,
}

impl Journal {
    /// Begins an entry and gives its id.
    pub(crate) fn open(&mut self, peer: SocketAddr) -> u64 {
        let id = self.accepted();
        self.open += 1;
        self.entries.push_back(Arc::new(Connection {
            id,
            opened: Instant::now(),
            peer,
            target: None,
            request: Bytes::new(),
            request_bytes: 0,
            request_whole_at: None,
            response_sent: 0,
            response_done_at: None,
            origin_fin_at: None,
            client_left_at: None,
            ended: None,
        }));
        self.forget_oldest();
        id
    }

    /// Changes an entry, unless it is forgotten.
    pub(crate) fn note(&mut self, id: u64, change: impl FnOnce(&mut Connection)) {
        let entry = self.position(id).and_then(|at| self.entries.get_mut(at));
        if let Some(entry) = entry {
            change(Arc::make_mut(entry));
        }
    }

    /// Puts the request's bytes into an entry, unless it is forgotten.
    pub(crate) fn note_request(&mut self, id: u64, received: &[u8]) {
        let entry = self.position(id).and_then(|at| self.entries.get_mut(at));
        if let Some(entry) = entry
            && entry.request.len() < received.len()
        {
            self.request_bytes += received.len() - entry.request.len();
            Arc::make_mut(entry).request = Bytes::copy_from_slice(received);
            self.forget_oldest();
        }
    }

    /// A connection is in flight from now on.
    pub(crate) fn add_in_flight(&mut self) {
        self.in_flight += 1;
        self.peak_in_flight = self.peak_in_flight.max(self.in_flight);
    }

    /// A connection is no longer in flight.
    pub(crate) fn remove_in_flight(&mut self) {
        self.in_flight -= 1;
    }

    /// A connection is gone.
    pub(crate) fn close(&mut self, id: u64, end: End) {
        self.open -= 1;
        self.note(id, |entry| entry.ended = Some((Instant::now(), end)));
    }

    pub(crate) fn clear(&mut self) {
        self.first = self.accepted();
        self.entries.clear();
        self.request_bytes = 0;
        self.peak_in_flight = self.in_flight;
    }

    pub(crate) fn entries(&self) -> Vec<Arc<Connection>> {
        self.entries.iter().cloned().collect()
    }

    pub(crate) fn accepted(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    pub(crate) fn peak_in_flight(&self) -> usize {
        self.peak_in_flight
    }

    pub(crate) fn open_connections(&self) -> usize {
        self.open
    }

    fn position(&self, id: u64) -> Option<usize> {
        usize::try_from(id.checked_sub(self.first)?).ok()
    }

    fn forget_oldest(&mut self) {
        while self.entries.len() > JOURNAL_CAPACITY || self.request_bytes > JOURNAL_REQUEST_BYTES {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.first += 1;
            self.request_bytes -= oldest.request.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer() -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], 1))
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut journal = Journal::default();
        for _ in 0..JOURNAL_CAPACITY + 10 {
            journal.open(peer());
        }
        let entries = journal.entries();
        assert_eq!((entries.len(), entries[0].id), (JOURNAL_CAPACITY, 10));
        journal.note(9, |_| panic!("it is forgotten"));
        journal.note(10, |entry| entry.response_sent = 7);
        journal.close(9, End::ClientFin);
        assert_eq!(journal.entries()[0].response_sent, 7);
        // The snapshot is of its time.
        assert_eq!(entries[0].response_sent, 0);
    }

    #[test]
    fn requests_are_bounded_in_all() {
        let mut journal = Journal::default();
        let request = vec![0; 64 << 10];
        let most = JOURNAL_REQUEST_BYTES / request.len();
        for _ in 0..most + 3 {
            let id = journal.open(peer());
            journal.note_request(id, &request[..100]);
            journal.note_request(id, &request);
        }
        assert_eq!(journal.entries().len(), most);
        journal.clear();
        assert_eq!(
            (journal.request_bytes, journal.accepted()),
            (0, most as u64 + 3)
        );
    }
}
