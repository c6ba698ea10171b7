//! A stage to test the suite with: as simple as can be, and broken on request.
//!
//! It blocks in slices of ten milliseconds and looks around after each. No
//! stage of this workspace waits like that, and none of its code is shared with
//! them: a suite that were tested with a stage could only agree with it.

mod connecting;
mod exchange;
mod fault;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use fetch_core::{FetchError, Home, OnError, Options, Request, Response, Stage, home_requests};

use connecting::Clock;
use exchange::fetch;
pub(crate) use fault::Fault;

/// The reference stage; correct if it has no fault.
pub(crate) struct Reference(pub(crate) Option<Fault>);

type Fetched = Result<Response, FetchError>;

impl Stage for Reference {
    fn fetch_all(&self, requests: Vec<Request>, options: &Options) -> Vec<Fetched> {
        let workers = match self.0 {
            Some(Fault::IgnoresMaxInFlight) => requests.len(),
            _ => options.max_in_flight.get().min(requests.len()),
        };
        let group = Group {
            fault: self.0,
            options,
            begun: Instant::now(),
            next: AtomicUsize::new(0),
            cancelled: AtomicBool::new(false),
            results: requests.iter().map(|_| Mutex::new(None)).collect(),
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(|| group.work(&requests));
            }
        });
        let results = group.results.into_iter().map(|result| {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            result.unwrap_or(Err(FetchError::Cancelled))
        });
        let mut results: Vec<Fetched> = results.collect();
        if self.0 == Some(Fault::ReversesResults) {
            results.reverse();
        }
        results
    }

    fn load_home(&self, origin: &str, user: u64, options: &Options) -> Result<Home, FetchError> {
        let in_flight = match self.0 {
            Some(Fault::HomeOneAfterTheOther) => 1,
            Some(Fault::HomeObeysMaxInFlight) => options.max_in_flight.get(),
            _ => 2,
        };
        let on_error = match self.0 {
            Some(Fault::HomeObeysOnError) => options.on_error,
            _ => OnError::CancelOthers,
        };
        let options = Options {
            max_in_flight: in_flight.try_into().unwrap_or(options.max_in_flight),
            on_error,
            ..options.clone()
        };
        let requests = home_requests(origin, user)?.to_vec();
        let mut results = self.fetch_all(requests, &options).into_iter();
        match (results.next(), results.next()) {
            (Some(Ok(profile)), Some(Ok(orders))) => Ok(Home { profile, orders }),
            (Some(Err(FetchError::Cancelled)), Some(Err(error)))
                if self.0 != Some(Fault::HomeReportsCancelled) =>
            {
                Err(error)
            }
            (Some(Err(error)), _) | (_, Some(Err(error))) => Err(error),
            _ => Err(FetchError::Cancelled),
        }
    }
}

/// One call of `fetch_all`.
struct Group<'a> {
    fault: Option<Fault>,
    options: &'a Options,
    begun: Instant,
    next: AtomicUsize,
    cancelled: AtomicBool,
    results: Vec<Mutex<Option<Fetched>>>,
}

impl Group<'_> {
    /// Takes requests in their order until none is left.
    fn work(&self, requests: &[Request]) {
        loop {
            let index = self.next.fetch_add(1, Ordering::SeqCst);
            let Some(request) = requests.get(index) else {
                return;
            };
            let stop = self.cancelled.load(Ordering::SeqCst);
            let result = if stop && self.fault != Some(Fault::StartsWhatIsCancelled) {
                Err(FetchError::Cancelled)
            } else {
                fetch(request, self.options, &self.clock(), self.fault)
            };
            if result.is_err() && self.options.on_error == OnError::CancelOthers {
                self.cancelled.store(true, Ordering::SeqCst);
            }
            if result.is_err() && self.fault == Some(Fault::AlwaysCancelsOthers) {
                self.cancelled.store(true, Ordering::SeqCst);
            }
            let mut slot = self.results[index]
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *slot = Some(result);
        }
    }

    fn clock(&self) -> Clock<'_> {
        let start = match self.fault {
            Some(Fault::DeadlineWhileQueueing) => self.begun,
            _ => Instant::now(),
        };
        Clock {
            cancelled: &self.cancelled,
            until: self.options.deadline_from(start),
            deadline: self.options.deadline,
            deaf: self.fault == Some(Fault::NeverCancels),
        }
    }
}
