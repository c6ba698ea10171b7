//! The stage under test, called in such a way that it can neither hang nor
//! panic a whole test run.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use fetch_core::{FetchError, Home, Options, Request, Response, Stage};

/// How long past its own deadlines a stage may take before it counts as hung.
/// Generous: a loaded machine must not fail a right stage.
const GRACE: Duration = Duration::from_secs(10);

/// No check needs longer than this, whatever its deadlines say.
const LONGEST: Duration = Duration::from_secs(60);

/// The result of one fetch.
pub type Fetched = Result<Response, FetchError>;

/// A stage under test.
#[derive(Clone)]
pub struct Subject {
    stage: Arc<dyn Stage>,
}

/// What a call came to, and how long it took.
#[derive(Debug)]
pub struct Timed<T> {
    /// The result.
    pub result: T,
    /// From just before the call until it returned.
    pub elapsed: Duration,
}

impl Subject {
    /// Puts `stage` under test.
    pub fn new(stage: impl Stage + 'static) -> Self {
        Subject {
            stage: Arc::new(stage),
        }
    }

    /// [`Stage::fetch_all`], watched.
    ///
    /// # Errors
    ///
    /// In words: it panicked, did not return in time, or returned another
    /// number of results than there are requests.
    pub fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Result<Timed<Vec<Fetched>>, String> {
        let count = requests.len();
        let rounds = count.div_ceil(options.max_in_flight.get()).max(1);
        let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
        let limit = options.deadline.saturating_mul(rounds);
        let stage = Arc::clone(&self.stage);
        let call_options = options.clone();
        let called = watched(limit, "fetch_all", move || {
            stage.fetch_all(requests, &call_options)
        })?;
        if called.result.len() != count {
            return Err(format!(
                "fetch_all returned {} results for {count} requests",
                called.result.len()
            ));
        }
        Ok(called)
    }

    /// [`Subject::fetch_all`] with one request.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn fetch(&self, request: Request, options: &Options) -> Result<Timed<Fetched>, String> {
        let mut called = self.fetch_all(vec![request], options)?;
        match called.result.pop() {
            Some(result) => Ok(Timed {
                result,
                elapsed: called.elapsed,
            }),
            None => Err("fetch_all returned no result".into()),
        }
    }

    /// [`Stage::load_home`], watched.
    ///
    /// # Errors
    ///
    /// In words: it panicked or did not return in time.
    pub fn load_home(
        &self,
        origin: &str,
        user: u64,
        options: &Options,
    ) -> Result<Timed<Result<Home, FetchError>>, String> {
        let stage = Arc::clone(&self.stage);
        let origin = origin.to_owned();
        let call_options = options.clone();
        watched(options.deadline, "load_home", move || {
            stage.load_home(&origin, user, &call_options)
        })
    }
}

/// Calls on a thread of its own, which is left behind if it hangs.
fn watched<T: Send + 'static>(
    limit: Duration,
    name: &str,
    call: impl FnOnce() -> T + Send + 'static,
) -> Result<Timed<T>, String> {
    let limit = limit.saturating_add(GRACE).min(LONGEST);
    let (sender, receiver) = channel();
    let begun = Instant::now();
    // It ends with the call; nobody can cancel it; `receiver` has its result, while
    // we listen; there is one for a call.
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || {
            // Nobody listens any more if the call took too long.
            let _ = sender.send(call());
        })
        .map_err(|error| format!("no thread to call {name} on: {error}"))?;
    match receiver.recv_timeout(limit) {
        Ok(result) => Ok(Timed {
            result,
            elapsed: begun.elapsed(),
        }),
        Err(RecvTimeoutError::Timeout) => Err(format!("{name} has not returned after {limit:?}")),
        Err(RecvTimeoutError::Disconnected) => {
            Err(format!("{name} panicked; its message is above"))
        }
    }
}
