//! Fetches that can be ended together.
//!
//! A thread that blocks in `read` looks at no flag, so it cannot be told to
//! stop; what it blocks *on* can be taken away. The group keeps a second handle
//! to each open stream and shuts it down, whereupon the read returns.

use std::any::Any;
use std::collections::HashMap;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};

use fetch_core::{FetchError, OnError};

use crate::resolve::Heard;

/// What one call to a stage fetches.
#[derive(Debug)]
pub struct Group {
    on_error: OnError,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cancelled: bool,
    /// What each unfinished fetch blocks on, by its index.
    blocked: HashMap<usize, Handle>,
}

/// A way to end a wait from outside.
#[derive(Debug)]
enum Handle {
    Resolver(mpsc::Sender<Heard>),
    Stream(Arc<TcpStream>),
}

/// While it lives, the group can end the wait that was registered.
#[derive(Debug)]
pub struct Registration<'a> {
    group: &'a Group,
    id: usize,
}

impl Group {
    /// A group in which nothing has failed yet.
    pub fn new(on_error: OnError) -> Self {
        Group {
            on_error,
            state: Mutex::default(),
        }
    }

    /// Runs `fetch`. If it fails, and a failure ends the others, ends them. A
    /// panic is a failure too (kind `io`), and only of this one fetch: somebody
    /// waits for its result.
    ///
    /// # Errors
    ///
    /// Those of `fetch`.
    pub fn run<T>(&self, fetch: impl FnOnce() -> Result<T, FetchError>) -> Result<T, FetchError> {
        let result = self.check().and_then(|()| contained(fetch));
        if result.is_err() && self.on_error == OnError::CancelOthers {
            self.cancel();
        }
        result
    }

    /// Whether the group has been cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// # Errors
    ///
    /// `cancelled`, if the group has been cancelled.
    pub fn check(&self) -> Result<(), FetchError> {
        if self.is_cancelled() {
            Err(FetchError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Lets the group shut `stream` down.
    ///
    /// # Errors
    ///
    /// `cancelled`, if the group has been cancelled already.
    pub fn register_stream(
        &self,
        id: usize,
        stream: &Arc<TcpStream>,
    ) -> Result<Registration<'_>, FetchError> {
        self.register(id, Handle::Stream(Arc::clone(stream)))
    }

    /// Lets the group end a wait for a name.
    ///
    /// # Errors
    ///
    /// `cancelled`, if the group has been cancelled already.
    pub fn register_resolver(
        &self,
        id: usize,
        heard: &mpsc::Sender<Heard>,
    ) -> Result<Registration<'_>, FetchError> {
        self.register(id, Handle::Resolver(heard.clone()))
    }

    /// The check and the registration are one step under the lock. With a gap
    /// between them, a cancellation in that gap would reach nobody.
    fn register(&self, id: usize, handle: Handle) -> Result<Registration<'_>, FetchError> {
        let mut state = self.lock();
        if state.cancelled {
            return Err(FetchError::Cancelled);
        }
        state.blocked.insert(id, handle);
        Ok(Registration { group: self, id })
    }

    fn cancel(&self) {
        let blocked = {
            let mut state = self.lock();
            state.cancelled = true;
            std::mem::take(&mut state.blocked)
        };
        // Nobody is woken while the lock is held: the first thing they do is
        // to ask for it.
        for handle in blocked.into_values() {
            match handle {
                // The thread may have stopped listening, and the connection
                // may have ended by itself: either way its wait is over.
                Handle::Resolver(heard) => drop(heard.send(Heard::Cancelled)),
                Handle::Stream(stream) => drop(stream.shutdown(Shutdown::Both)),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        self.group.lock().blocked.remove(&self.id);
    }
}

fn contained<T>(fetch: impl FnOnce() -> Result<T, FetchError>) -> Result<T, FetchError> {
    panic::catch_unwind(AssertUnwindSafe(fetch)).unwrap_or_else(|panic| {
        let panicked = io::Error::other(format!("a panic: {}", words(panic.as_ref())));
        Err(FetchError::from_system("running the fetch", &panicked))
    })
}

/// What was given to `panic!`.
fn words(panic: &(dyn Any + Send)) -> &str {
    let literal = panic.downcast_ref::<&str>().copied();
    let formatted = || panic.downcast_ref::<String>().map(String::as_str);
    literal.or_else(formatted).unwrap_or("without a message")
}

#[cfg(test)]
mod tests {
    use super::*;
    use fetch_core::ErrorKind;

    fn panics() -> Result<(), FetchError> {
        // Quietly: `panic!` would print its message.
        panic::resume_unwind(Box::new("as planned"))
    }

    #[test]
    fn a_panic_is_the_failure_of_its_own_fetch() {
        let group = Group::new(OnError::Finish);
        let error = group.run(panics).map_err(|error| error.kind());
        assert_eq!(error, Err(ErrorKind::Io));
        assert_eq!(group.run(|| Ok(1)), Ok(1));
    }

    #[test]
    fn a_failure_ends_the_others_if_it_is_to() {
        let group = Group::new(OnError::CancelOthers);
        assert_eq!(group.run(|| Ok(1)), Ok(1));
        assert_eq!(group.check(), Ok(()));
        let error = group.run(panics).map_err(|error| error.kind());
        assert_eq!(error, Err(ErrorKind::Io));
        assert_eq!(group.run(|| Ok(1)), Err(FetchError::Cancelled));
    }

    #[test]
    fn a_cancelled_group_takes_no_registration() {
        let group = Group::new(OnError::CancelOthers);
        let (tell, listen) = mpsc::channel();
        let registered = group.register_resolver(0, &tell);
        assert!(registered.is_ok());
        assert!(group.run(panics).is_err());
        assert!(matches!(listen.try_recv(), Ok(Heard::Cancelled)));
        assert!(group.register_resolver(1, &tell).is_err());
    }
}
