//! The reactor: waits on the operating system for everybody else.
//!
//! A future that has found its socket not ready leaves a waker here and
//! returns. The reactor asks the system about all such sockets at once, and
//! calls the waker of each that is ready. It polls no future itself.
//!
//! `polling` is *oneshot*: once it has reported a socket it says nothing more
//! of it until it is asked again. That suits futures, which wait again whenever
//! they return `Pending`.
#![allow(unsafe_code)]

use std::cell::{RefCell, RefMut};
use std::fmt;
use std::io;
use std::mem;
use std::net::TcpStream;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Context;
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::wait::{self, On};
use polling::{Event, Events, Poller};
use slab::Slab;

use crate::executor::Park;
use crate::timers::Timers;
use crate::waits::{Direction, Waits, Wake};

/// Sockets and moments, and who waits for them. One thread's own; only the
/// poller inside can be reached from others, to be told to return.
pub struct Reactor {
    poller: Arc<Poller>,
    /// Reused from turn to turn, so that an event costs no allocation.
    events: RefCell<Events>,
    due: RefCell<Vec<Wake>>,
    waits: RefCell<Slab<Waits>>,
    timers: RefCell<Timers>,
}

impl Reactor {
    /// A reactor on which nobody waits.
    ///
    /// # Errors
    ///
    /// The system has no descriptor left.
    pub fn new() -> io::Result<Rc<Self>> {
        Ok(Rc::new(Reactor {
            poller: Arc::new(Poller::new()?),
            events: RefCell::new(Events::new()),
            due: RefCell::default(),
            waits: RefCell::default(),
            timers: RefCell::default(),
        }))
    }

    /// What ends [`park`](Park::park) from any other thread, also beforehand.
    pub fn unpark(&self) -> Box<dyn Fn() + Send + Sync> {
        let poller = Arc::clone(&self.poller);
        let own_thread = thread::current().id();
        Box::new(move || {
            // Mostly it is `park` that wakes. It sleeps no more then, and the
            // executor looks into its queue before it parks again.
            if thread::current().id() == own_thread {
                return;
            }
            // If the system refuses, nothing can be done here; the next event
            // or timer ends the sleep.
            let _ = poller.notify();
        })
    }

    /// Sockets that are registered, and timers that wait.
    pub fn registered(&self) -> (usize, usize) {
        (self.waits.borrow().len(), self.timers.borrow().len())
    }

    pub(crate) fn timers(&self) -> RefMut<'_, Timers> {
        self.timers.borrow_mut()
    }

    /// What the event says, as a list of whom to wake. Events are hints: who
    /// is woken tries again, and the system call decides. A hang-up comes as
    /// readiness, too, and bytes may lie before it: only a read of none is the
    /// end (mio#933).
    ///
    /// Keys are slots, and a slot is used again, without the generation of
    /// stage 3. All events of one `wait` are taken before anybody runs who could
    /// give up a socket, so none of them can be for the tenant before; and if
    /// one were, it would be a hint that is not true.
    fn take_woken(&self, event: Event, due: &mut Vec<Wake>) {
        let mut waits = self.waits.borrow_mut();
        // No socket has this key: nobody waits.
        let Some(waits) = waits.get_mut(event.key) else {
            return;
        };
        waits.take(event.readable, event.writable, due);
        // Oneshot: the other direction is off now, too.
        if waits.ask(&self.poller, event.key).is_err() {
            // Then its own next system call shall say what is wrong.
            waits.take(true, true, due);
        }
    }
}

impl Park for Reactor {
    fn park(&self, may_wait: bool) -> io::Result<()> {
        let timeout = if may_wait {
            self.timers.borrow().until_next(Instant::now())
        } else {
            Some(Duration::ZERO)
        };
        let mut due = self.due.take();
        {
            let mut events = self.events.borrow_mut();
            // `wait` appends, and goes on by itself after a signal.
            events.clear();
            self.poller.wait(&mut events, timeout)?;
            for event in events.iter() {
                self.take_woken(event, &mut due);
            }
        }
        self.timers.borrow_mut().take_due(Instant::now(), &mut due);

        // Nothing is borrowed now. A waker may be anybody's, and may do
        // anything, such as dropping a future whose socket is registered here.
        for Wake { fetch, by, waker } in due.drain(..) {
            wait::woken(fetch, by);
            waker.wake();
        }
        self.due.replace(due);
        Ok(())
    }
}

/// A socket that the reactor knows. Dropping it deregisters and closes it.
#[derive(Debug)]
pub struct Source {
    socket: Rc<TcpStream>,
    reactor: Rc<Reactor>,
    key: usize,
}

impl Source {
    /// Registers a non-blocking socket that connects, and waits until it has.
    /// `fetch` is whose wait it is, for the trace.
    ///
    /// To register is to say what is waited for, so the first wait needs no
    /// call of its own. If the connection is there by now, the poller says so
    /// at once.
    ///
    /// # Errors
    ///
    /// The system has no room for it.
    pub fn connecting(
        reactor: &Rc<Reactor>,
        fetch: usize,
        socket: TcpStream,
        cx: &Context<'_>,
    ) -> io::Result<Self> {
        let socket = Rc::new(socket);
        let mut waits = Waits::new(fetch, Rc::clone(&socket));
        *waits.waker(Direction::Write) = Some(cx.waker().clone());
        let key = reactor.waits.borrow_mut().insert(waits);
        // From here on, leaving by an error drops `source`, which tidies up.
        let source = Source {
            socket,
            reactor: Rc::clone(reactor),
            key,
        };
        // SAFETY:
        // - The socket must be deleted from the poller before it is closed.
        //   Its two owners are `source` and the entry in `waits`, and nothing
        //   here hands out a third.
        // - `Source::drop` deletes it while both still hold it. If `source` is
        //   leaked instead, it is never closed.
        unsafe { reactor.poller.add(&*source.socket, Event::writable(key))? };
        wait::waiting(fetch, On::Connect);
        Ok(source)
    }

    /// The socket, to make system calls on.
    pub fn socket(&self) -> &TcpStream {
        &self.socket
    }

    /// Whether the wait for `direction` goes on: the poller has been asked and
    /// has not answered. A system call would only say `WouldBlock` once more.
    ///
    /// It is then `cx` that will be woken. Since the last poll this future may
    /// have moved into another task, and the old waker would wake the wrong one.
    pub fn still_waits(&self, direction: Direction, cx: &Context<'_>) -> bool {
        let old = {
            let mut waits = self.reactor.waits.borrow_mut();
            let waits = &mut waits[self.key];
            waits.say_resumed();
            let Some(waker) = waits.waker(direction) else {
                return false;
            };
            mem::replace(waker, cx.waker().clone())
        };
        // Dropped when nothing is borrowed: it may be the last thing that kept
        // another task, whose sockets are registered here as well.
        drop(old);
        true
    }

    /// Leaves the waker and asks the poller. If the socket became ready between
    /// the `WouldBlock` and this, the poller says so at once.
    ///
    /// # Errors
    ///
    /// The poller's; then nobody waits.
    pub fn wait_for(&self, direction: Direction, on: On, cx: &Context<'_>) -> io::Result<()> {
        let mut waits = self.reactor.waits.borrow_mut();
        let waits = &mut waits[self.key];
        *waits.waker(direction) = Some(cx.waker().clone());
        let asked = waits.ask(&self.reactor.poller, self.key);
        match asked {
            Ok(()) => wait::waiting(waits.fetch(), on),
            Err(_) => *waits.waker(direction) = None,
        }
        asked
    }

    /// Nobody waits for `direction` any more. The poller may still report it;
    /// that is then a hint for nobody.
    pub fn forget(&self, direction: Direction) {
        let waker = {
            let mut waits = self.reactor.waits.borrow_mut();
            waits[self.key].waker(direction).take()
        };
        // As in `still_waits`.
        drop(waker);
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        // Deregistered first, closed after: the other way round, the system
        // may by then have given the number to another socket. An error means
        // that it was not registered.
        let _ = self.reactor.poller.delete(&*self.socket);
        let waits = self.reactor.waits.borrow_mut().try_remove(self.key);
        // Its wakers: as in `still_waits`.
        drop(waits);
    }
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor").finish_non_exhaustive()
    }
}
