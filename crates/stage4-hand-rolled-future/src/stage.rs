//! The stage: one runtime a call, on the caller's thread.

use std::future::Future;
use std::io;
use std::rc::Rc;

use fetch_core::{FetchError, Home, Options, Request, Response, Stage, home_requests};

use crate::join::TryJoin;
use crate::reactor::Reactor;
use crate::runtime::Runtime;
use crate::{by_compiler, by_hand, group};

/// Polls futures, all of them on the thread that calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandRolledFuture {
    /// Which of the two fetches it runs. Whoever runs them cannot tell them
    /// apart.
    pub fetch: Written,
}

/// Who has written the state machine of a fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Written {
    /// We: [`by_hand`].
    #[default]
    ByHand,
    /// The compiler: [`by_compiler`].
    ByCompiler,
}

impl Stage for HandRolledFuture {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let count = requests.len();
        let results = match self.fetch {
            Written::ByHand => fetch_all(requests, options, by_hand::fetch),
            Written::ByCompiler => fetch_all(requests, options, by_compiler::fetch),
        };
        results.unwrap_or_else(|error| vec![Err(no_reactor(&error)); count])
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let requests = home_requests(origin, user)?;
        let home = match self.fetch {
            Written::ByHand => load_home(requests, options, by_hand::fetch),
            Written::ByCompiler => load_home(requests, options, by_compiler::fetch),
        };
        home.unwrap_or_else(|error| Err(no_reactor(&error)))
    }
}

fn fetch_all<F>(
    requests: Vec<Request>,
    options: &Options,
    fetch: fn(usize, Request, Rc<Options>, Rc<Reactor>) -> F,
) -> io::Result<Vec<Result<Response, FetchError>>>
where
    F: Future<Output = Result<Response, FetchError>> + 'static,
{
    let runtime = Runtime::new()?;
    let shared = Rc::new(options.clone());
    let start = |id, request| {
        let reactor = Rc::clone(runtime.reactor());
        fetch(id, request, Rc::clone(&shared), reactor)
    };
    runtime.block_on(group::fetch_all(&runtime, requests, options, start))
}

fn load_home<F>(
    [profile, orders]: [Request; 2],
    options: &Options,
    fetch: fn(usize, Request, Rc<Options>, Rc<Reactor>) -> F,
) -> io::Result<Result<Home, FetchError>>
where
    F: Future<Output = Result<Response, FetchError>>,
{
    let runtime = Runtime::new()?;
    let options = Rc::new(options.clone());
    let fetch = |id, request| {
        let reactor = Rc::clone(runtime.reactor());
        fetch(id, request, Rc::clone(&options), reactor)
    };
    // One task, and the two fetches are its fields.
    let both = TryJoin::new(fetch(0, profile), fetch(1, orders));
    let both = runtime.block_on(both)?;
    Ok(both.map(|(profile, orders)| Home { profile, orders }))
}

fn no_reactor(error: &io::Error) -> FetchError {
    FetchError::from_system("waiting for the operating system's events", error)
}
