//! Executor and reactor, put together.

use std::future::Future;
use std::io;
use std::rc::Rc;

use crate::executor::Executor;
use crate::handle::TaskHandle;
use crate::reactor::Reactor;

/// What runs futures that wait for sockets and timers, on one thread.
#[derive(Debug)]
pub struct Runtime {
    // Dropped first: its futures deregister what they hold.
    executor: Executor,
    reactor: Rc<Reactor>,
}

impl Runtime {
    /// A runtime with nothing to do. It starts no thread.
    ///
    /// # Errors
    ///
    /// As [`Reactor::new`].
    pub fn new() -> io::Result<Self> {
        let reactor = Reactor::new()?;
        Ok(Runtime {
            executor: Executor::new(reactor.unpark()),
            reactor,
        })
    }

    /// The reactor, for futures that wait on it.
    ///
    /// It is handed to each of them. tokio keeps its own in a thread-local
    /// instead, which reads better, and panics where there is none.
    pub fn reactor(&self) -> &Rc<Reactor> {
        &self.reactor
    }

    /// Runs `root`, and the spawned tasks beside it, until `root` is done.
    ///
    /// # Errors
    ///
    /// The poller's, and those of [`Executor::block_on`].
    pub fn block_on<F: Future>(&self, root: F) -> io::Result<F::Output> {
        self.executor.block_on(root, &*self.reactor)
    }

    /// Starts a task; see [`Executor::spawn`].
    pub fn spawn<F>(&self, future: F) -> TaskHandle<F::Output>
    where
        F: Future + 'static,
        F::Output: 'static,
    {
        self.executor.spawn(future)
    }

    /// Spawned tasks that are neither done nor cancelled.
    pub fn unfinished(&self) -> usize {
        self.executor.unfinished()
    }
}
