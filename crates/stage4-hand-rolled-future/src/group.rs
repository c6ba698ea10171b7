//! Many fetches: a task for each that is in flight.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, OnError, Options, Request, Response};
use pin_project_lite::pin_project;

use crate::runtime::Runtime;
use crate::semaphore::{Permit, Semaphore};

/// Fetches all `requests`, with the results in their order. `start` makes the
/// future of one.
///
/// Admission comes before the task: a fetch that waits for its turn is a
/// request in a list, and no future. A task for each of 100,000 requests, all
/// queueing at the semaphore, would have the same number in flight and a
/// hundred thousand futures alive.
pub async fn fetch_all<F>(
    runtime: &Runtime,
    requests: Vec<Request>,
    options: &Options,
    start: impl Fn(usize, Request) -> F,
) -> Vec<Result<Response, FetchError>>
where
    F: Future<Output = Result<Response, FetchError>> + 'static,
{
    let count = requests.len();
    let limit = options.max_in_flight.get().min(count);
    let permits = Semaphore::new(limit);
    let cancelled = Rc::new(Cell::new(false));

    let mut tasks = Vec::with_capacity(count);
    for (index, request) in requests.into_iter().enumerate() {
        let permit = admit(&permits, index).await;
        if cancelled.get() {
            // Those behind it have not been heard of, and stay so.
            wait::finished(index, &Err::<(), _>(FetchError::Cancelled));
            break;
        }
        // When does it end? With its fetch, at the deadline at the latest. Who
        // cancels it? Whoever drops its handle: we do, below, or our own end. Who
        // receives its result? The handle. What bounds their number? The permit.
        tasks.push(runtime.spawn(Admitted {
            fetch: start(index, request),
            on_error: options.on_error,
            cancelled: Rc::clone(&cancelled),
            permit: Some(permit),
        }));
    }
    // Whoever holds all the permits knows that nobody else is in flight.
    let mut returned = Vec::with_capacity(limit);
    while returned.len() < limit && !cancelled.get() {
        returned.push(permits.acquire().await);
    }

    // Who is not done by now is cancelled: its future goes with its handle.
    let results = tasks.into_iter().map(|task| task.finished_or_cancel());
    let mut results: Vec<_> = results
        .map(|result| result.unwrap_or(Err(FetchError::Cancelled)))
        .collect();
    results.resize(count, Err(FetchError::Cancelled));
    results
}

/// Waits for the permit of fetch `index`.
async fn admit(permits: &Semaphore, index: usize) -> Permit {
    if let Some(permit) = permits.try_acquire() {
        return permit;
    }
    wait::waiting(index, On::Queue);
    let permit = permits.acquire().await;
    wait::woken(index, By::Sibling);
    permit
}

pin_project! {
    /// A fetch that gives its permit back when it is done, and not before its
    /// connection is closed.
    struct Admitted<F> {
        #[pin]
        fetch: F,
        on_error: OnError,
        // Whether the group is.
        cancelled: Rc<Cell<bool>>,
        permit: Option<Permit>,
    }
}

impl<F, T> Future for Admitted<F>
where
    F: Future<Output = Result<T, FetchError>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if this.cancelled.get() {
            // It was in the run queue when another failed, and so by now is the
            // task that holds the handles and will drop them. Nothing need wake
            // this one again.
            return Poll::Pending;
        }
        let result = ready!(this.fetch.poll(cx));
        if result.is_err() && *this.on_error == OnError::CancelOthers {
            this.cancelled.set(true);
        }
        // Wakes whoever fetches the permits.
        *this.permit = None;
        Poll::Ready(result)
    }
}
