//! Names to addresses.
//!
//! `getaddrinfo` blocks, and this stage has one thread: a call that blocks
//! would stop every other fetch. So another thread makes it, and what comes
//! back is the answer and a wake. That is what a `Waker` being `Send` is for.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;

use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, Request, Resolve};

/// The future of a host's addresses.
#[derive(Debug)]
pub struct Resolving {
    fetch: usize,
    host: String,
    port: u16,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The URL has the address itself.
    Literal(SocketAddr),
    NotAsked(Arc<dyn Resolve>),
    Asked(Arc<Desk>),
}

/// Where the two threads meet.
#[derive(Debug, Default)]
struct Desk {
    slip: Mutex<Slip>,
}

#[derive(Debug, Default)]
struct Slip {
    answer: Option<io::Result<Vec<SocketAddr>>>,
    waiting: Option<Waker>,
}

impl Resolving {
    /// The addresses of the request's host. Nothing is asked before the first
    /// poll.
    pub fn new(fetch: usize, request: &Request, resolver: &Arc<dyn Resolve>) -> Self {
        Resolving {
            fetch,
            host: request.host(),
            port: request.port(),
            state: match request.literal_address() {
                Some(address) => State::Literal(address),
                None => State::NotAsked(Arc::clone(resolver)),
            },
        }
    }
}

impl Future for Resolving {
    type Output = Result<Vec<SocketAddr>, FetchError>;

    /// # Errors
    ///
    /// `dns-failure`, `resources`.
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let desk = match &this.state {
            State::Literal(address) => return Poll::Ready(Ok(vec![*address])),
            State::NotAsked(resolver) => {
                wait::waiting(this.fetch, On::Name);
                let asked = ask(this.fetch, resolver, this.host.clone(), this.port, cx);
                this.state = State::Asked(asked.map_err(|error| FetchError::no_thread(&error))?);
                return Poll::Pending;
            }
            State::Asked(desk) => desk,
        };
        let mut slip = desk.lock();
        let Some(answer) = slip.answer.take() else {
            // Looked and left under one lock: either the answer is here
            // already, or it will find this waker.
            slip.waiting = Some(cx.waker().clone());
            return Poll::Pending;
        };
        wait::resumed(this.fetch);
        Poll::Ready(answer.map_err(|error| FetchError::resolving(&this.host, &error)))
    }
}

impl Drop for Resolving {
    /// Nobody listens any more. The thread may run on; it must not keep the
    /// task alive meanwhile.
    fn drop(&mut self) {
        if let State::Asked(desk) = &self.state {
            let waiting = desk.lock().waiting.take();
            drop(waiting);
        }
    }
}

/// Asks the resolver on a thread of its own.
fn ask(
    fetch: usize,
    resolver: &Arc<dyn Resolve>,
    host: String,
    port: u16,
    cx: &Context<'_>,
) -> io::Result<Arc<Desk>> {
    let desk = Arc::new(Desk::default());
    // Before there is anybody who could answer.
    desk.lock().waiting = Some(cx.waker().clone());
    let reply = Reply {
        fetch,
        desk: Arc::clone(&desk),
        answer: Err(io::Error::other("the resolver panicked")),
    };
    let resolver = Arc::clone(resolver);
    // When does it end? When the resolver returns, which may be after its
    // fetch. Who cancels it? Nobody can. Who receives its result? The desk,
    // while anybody still looks there. What bounds their number?
    // `max_in_flight`, as long as the resolver answers within the deadline; it
    // holds no socket.
    thread::Builder::new()
        .name("resolver".to_owned())
        .spawn(move || reply.hand_in(resolver.resolve(&host, port)))?;
    Ok(desk)
}

/// Is handed in when it is dropped, so that a resolver that panics leaves
/// nobody waiting.
struct Reply {
    fetch: usize,
    desk: Arc<Desk>,
    answer: io::Result<Vec<SocketAddr>>,
}

impl Reply {
    fn hand_in(mut self, answer: io::Result<Vec<SocketAddr>>) {
        self.answer = answer;
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        let answer = std::mem::replace(&mut self.answer, Ok(Vec::new()));
        let waiting = {
            let mut slip = self.desk.lock();
            slip.answer = Some(answer);
            slip.waiting.take()
        };
        if let Some(waker) = waiting {
            wait::woken(self.fetch, By::Resolver);
            waker.wake();
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, Slip> {
        // Nothing under this lock can panic half-way through a change.
        self.slip.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
