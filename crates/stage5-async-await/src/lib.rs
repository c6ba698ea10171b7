//! Stage 5: async/await on tokio, and the same with reqwest.
//!
//! - **What waits:** a future, at an `.await`. No thread belongs to it; when it
//!   cannot go on, its `poll` returns, and all frames of the call are gone.
//! - **Where the wait is kept:** in the value that the compiler made of the
//!   `async fn`: an enum with a variant for each `.await`, holding what is still
//!   needed after it. Stage 4 writes that enum by hand.
//! - **Who wakes it:** tokio's reactor sees the socket's event and calls the
//!   waker; tokio's executor polls the outermost future again, which leads down
//!   to the `.await` where it stopped.
//! - **What it costs:** for each unfinished fetch the size of that value and
//!   what it owns. And a runtime: these sockets belong to tokio's reactor and
//!   to no other.
//!
//! ```text
//!            poll                              Poll::Pending
//!  created ────────► running to an .await ──────────────────────► suspended
//!  (nothing has         ▲           │                           (an enum variant,
//!   happened yet)       │           │ Poll::Ready                  no stack)
//!                       │           ▼                                 │ │
//!                       │        finished                             │ │ drop:
//!                       │                                             │ │ cancelled
//!                       └── executor polls ◄── reactor calls waker ◄──┘ ▼
//! ```
//!
//! Everything here but resolvers runs on the one thread that calls
//! [`Stage::fetch_all`]: a thousand fetches in flight, and no place to hide where
//! the wait is. tokio's multi-thread runtime would wait in the same way, and let
//! a future resume on another thread than it stopped on.
//!
//! Read in this order: [`fetch`] beside stage 1's file of the same name (the
//! same text plus `.await`), [`connection`] (what became of the deadline and of
//! reading while sending), [`resolve`] (a call that blocks all the same), then
//! the functions below (the group, and what became of cancelling it).
//! [`trace`] shows `poll` and `Waker` at work; [`with_reqwest`] gives all of it
//! to a library.

pub mod connection;
pub mod fetch;
pub mod resolve;
pub mod trace;
pub mod with_reqwest;

use fetch_core::{FetchError, Home, OnError, Options, Request, Response, Stage, home_requests};
use futures_util::{StreamExt, stream};
use tokio::runtime;

/// Polls all fetches on the calling thread, with tokio's current-thread runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsyncAwait {
    /// Which HTTP client makes the fetches.
    pub client: Client,
}

/// The two ways in which this stage speaks HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Client {
    /// Stage 1's text plus `.await`, on tokio's socket.
    Hand,
    /// What one would use at work.
    #[default]
    Reqwest,
}

/// # Panics
///
/// Both functions block, so a thread that is polling futures must not call
/// them: tokio panics if it finds itself inside another of its runtimes. There,
/// await [`fetch::fetch`], or call from `spawn_blocking`.
impl Stage for AsyncAwait {
    fn fetch_all(
        &self,
        requests: Vec<Request>,
        options: &Options,
    ) -> Vec<Result<Response, FetchError>> {
        let results = match self.client {
            Client::Hand => block_on(async {
                let fetch = async |id, request: &_| fetch::fetch(id, request, options).await;
                Ok(fetch_each(&requests, options, fetch).await)
            }),
            Client::Reqwest => block_on(async {
                let client = with_reqwest::client(options)?;
                let fetch = async |id, request: &_| {
                    with_reqwest::fetch(&client, id, request, options).await
                };
                Ok(fetch_each(&requests, options, fetch).await)
            }),
        };
        // Without a runtime, no fetch has begun: each has that error.
        results.unwrap_or_else(|error| requests.iter().map(|_| Err(error.clone())).collect())
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let [profile, orders] = home_requests(origin, user)?;
        // Two futures, polled in turn by one. The first error makes `try_join!`
        // return, and with it the other future is dropped: that is all there
        // is to cancelling it.
        let (profile, orders) = match self.client {
            Client::Hand => block_on(async {
                tokio::try_join!(
                    fetch::fetch(0, &profile, options),
                    fetch::fetch(1, &orders, options),
                )
            })?,
            Client::Reqwest => block_on(async {
                let client = with_reqwest::client(options)?;
                tokio::try_join!(
                    with_reqwest::fetch(&client, 0, &profile, options),
                    with_reqwest::fetch(&client, 1, &orders, options),
                )
            })?,
        };
        Ok(Home { profile, orders })
    }
}

/// Fetches all of `requests`, in their order and at most `max_in_flight` at a
/// time.
async fn fetch_each(
    requests: &[Request],
    options: &Options,
    fetch: impl AsyncFn(usize, &Request) -> Result<Response, FetchError>,
) -> Vec<Result<Response, FetchError>> {
    // What is never begun, or dropped before its end, stays as it is here.
    let mut results: Vec<_> = requests
        .iter()
        .map(|_| Err(FetchError::Cancelled))
        .collect();
    // Back-pressure: a future is made only when there is a place for it. With a
    // task and a semaphore permit for each request, all of them would exist at
    // once and only their progress would be limited.
    let mut fetches = stream::iter(requests.iter().enumerate())
        .map(async |(id, request)| (id, fetch(id, request).await))
        .buffer_unordered(options.max_in_flight.get());

    // The fetches run only while this awaits the next of them. So nothing else
    // may be awaited in this loop: it would stop them all.
    while let Some((id, result)) = fetches.next().await {
        let failed = result.is_err();
        results[id] = result;
        if failed && options.on_error == OnError::CancelOthers {
            break;
        }
    }
    // Here `fetches` is dropped, with it every future that is not finished, and
    // with each its socket. Stage 1 needs a registry of streams for this.
    results
}

/// Runs `future` to its end on the calling thread. Whatever it left behind in
/// the runtime is dropped before this returns.
fn block_on<T>(future: impl Future<Output = Result<T, FetchError>>) -> Result<T, FetchError> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        // The only other threads: see `resolve`.
        .thread_name("resolver")
        .build()
        .map_err(|error| FetchError::from_system("starting the runtime", &error))?;
    let result = runtime.block_on(future);
    // Dropping the runtime would wait for a resolver that may never answer.
    runtime.shutdown_background();
    result
}
