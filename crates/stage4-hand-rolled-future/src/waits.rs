//! Who waits for one socket.
//!
//! `polling`'s interest is per socket and not per direction, and one answer
//! ends it for both. So each time it must be given all that anybody still waits
//! for (async-io does the same).

use std::io;
use std::mem;
use std::net::TcpStream;
use std::rc::Rc;
use std::task::Waker;

use fetch_core::wait::{self, By};
use polling::{Event, Poller};

/// A direction of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Bytes from the peer, or the end of them.
    Read,
    /// Room for bytes to the peer, or the connection itself.
    Write,
}

/// Who waits for one socket. A waker is here if, and only if, the poller has
/// been asked for its direction and has not answered.
///
/// Stage 3 has to remember which socket is *ready*, until `WouldBlock`. Here
/// nothing remembers that: whoever wants to know makes the system call, and so
/// no readiness can be forgotten, or kept too long (tokio#672).
pub(crate) struct Waits {
    /// Whose wait it is, for the trace.
    fetch: usize,
    socket: Rc<TcpStream>,
    read: Option<Waker>,
    write: Option<Waker>,
    /// Woken, and not polled since: for the trace.
    woken: bool,
}

/// A waker to be called, once nothing is borrowed.
pub(crate) struct Wake {
    pub(crate) fetch: usize,
    pub(crate) by: By,
    pub(crate) waker: Waker,
}

impl Waits {
    /// Nobody waits yet. `fetch` is whose wait it will be, for the trace.
    pub(crate) fn new(fetch: usize, socket: Rc<TcpStream>) -> Self {
        Waits {
            fetch,
            socket,
            read: None,
            write: None,
            woken: false,
        }
    }

    pub(crate) fn fetch(&self) -> usize {
        self.fetch
    }

    /// Somebody polls. If that is because of a wake, the trace hears of it; a
    /// poll may also be meant for a sibling in the same task.
    pub(crate) fn say_resumed(&mut self) {
        if mem::take(&mut self.woken) {
            wait::resumed(self.fetch);
        }
    }

    /// Tells the poller all that is waited for: its interest is replaced, not
    /// added to.
    pub(crate) fn ask(&self, poller: &Poller, key: usize) -> io::Result<()> {
        if self.read.is_none() && self.write.is_none() {
            // It stays off. An interest in nothing would still be told of a
            // hang-up (epoll_ctl(2)), and in vain.
            return Ok(());
        }
        let interest = Event::new(key, self.read.is_some(), self.write.is_some());
        poller.modify(&*self.socket, interest)
    }

    /// Takes out who waits for what has happened.
    pub(crate) fn take(&mut self, read: bool, write: bool, due: &mut Vec<Wake>) {
        let read = self.read.take_if(|_| read);
        let write = self.write.take_if(|_| write);
        // Mostly it is one task that waits for both, and needs one wake. If
        // `will_wake` does not see that, it gets two, which queue it once.
        let write = write.filter(|write| !read.as_ref().is_some_and(|read| read.will_wake(write)));
        for waker in read.into_iter().chain(write) {
            self.woken = true;
            due.push(Wake {
                fetch: self.fetch,
                by: By::Reactor,
                waker,
            });
        }
    }

    pub(crate) fn waker(&mut self, direction: Direction) -> &mut Option<Waker> {
        match direction {
            Direction::Read => &mut self.read,
            Direction::Write => &mut self.write,
        }
    }
}
