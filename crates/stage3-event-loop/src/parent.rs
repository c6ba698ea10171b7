//! Who asked for a fetch, and is told when it is over.
//!
//! In stage 1 this is a caller's frame that has not returned. Here there are no
//! frames to return to: whoever waits for several fetches is a struct too, with
//! a field for each answer that is still missing.

use std::iter::Enumerate;
use std::slice;

use fetch_core::{FetchError, Home, OnError, Options, Request, Response};

/// Waits for fetches, its children. The loop turns until it is
/// [over](Self::is_over).
pub trait Parent<'a> {
    /// The next fetch to begin, and its number; none if none may begin now.
    fn next_child(&mut self) -> Option<(usize, &'a Request)>;

    /// A child is over. Called once for each.
    fn child_finished(&mut self, id: usize, result: Result<Response, FetchError>) -> Others;

    /// Whether there is nothing left to wait for.
    fn is_over(&self) -> bool;
}

/// What the end of one child means for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Nothing.
    GoOn,
    /// They are closed at once.
    Cancel,
}

/// The parent behind `fetch_all`: any number of requests, so many at a time.
#[derive(Debug)]
pub struct Batch<'a> {
    not_begun: Enumerate<slice::Iter<'a, Request>>,
    in_flight: usize,
    max_in_flight: usize,
    on_error: OnError,
    /// In request order. What never begins stays as it is at first.
    results: Vec<Result<Response, FetchError>>,
}

impl<'a> Batch<'a> {
    /// A parent for all `requests`.
    pub fn new(requests: &'a [Request], options: &Options) -> Self {
        let cancelled = |_| Err(FetchError::Cancelled);
        Batch {
            not_begun: requests.iter().enumerate(),
            in_flight: 0,
            max_in_flight: options.max_in_flight.get(),
            on_error: options.on_error,
            results: requests.iter().map(cancelled).collect(),
        }
    }

    /// The results, in request order.
    pub fn into_results(self) -> Vec<Result<Response, FetchError>> {
        self.results
    }
}

impl<'a> Parent<'a> for Batch<'a> {
    fn next_child(&mut self) -> Option<(usize, &'a Request)> {
        if self.in_flight == self.max_in_flight {
            return None;
        }
        let next = self.not_begun.next()?;
        self.in_flight += 1;
        Some(next)
    }

    fn child_finished(&mut self, id: usize, result: Result<Response, FetchError>) -> Others {
        self.in_flight -= 1;
        let others = match (&result, self.on_error) {
            (Err(_), OnError::CancelOthers) => {
                self.not_begun = [].iter().enumerate();
                Others::Cancel
            }
            _ => Others::GoOn,
        };
        self.results[id] = result;
        others
    }

    fn is_over(&self) -> bool {
        self.in_flight == 0 && self.not_begun.len() == 0
    }
}

/// The parent behind `load_home`: two children, and a slot for what each
/// brings.
#[derive(Debug)]
pub struct HomePage<'a> {
    not_begun: Enumerate<slice::Iter<'a, Request>>,
    /// The children that have not reported yet. The page is complete when this
    /// comes to zero, whichever of them is last.
    missing: usize,
    profile: Option<Response>,
    orders: Option<Response>,
    /// The first. What comes after it is its consequence.
    error: Option<FetchError>,
}

impl<'a> HomePage<'a> {
    /// A parent for the profile and the orders, in this order.
    pub fn new(requests: &'a [Request; 2]) -> Self {
        HomePage {
            not_begun: requests.iter().enumerate(),
            missing: requests.len(),
            profile: None,
            orders: None,
            error: None,
        }
    }

    /// The page.
    ///
    /// # Errors
    ///
    /// The first error of the two.
    pub fn into_home(self) -> Result<Home, FetchError> {
        match (self.profile, self.orders) {
            (Some(profile), Some(orders)) => Ok(Home { profile, orders }),
            _ => Err(self.error.unwrap_or(FetchError::Cancelled)),
        }
    }
}

impl<'a> Parent<'a> for HomePage<'a> {
    fn next_child(&mut self) -> Option<(usize, &'a Request)> {
        self.not_begun.next()
    }

    fn child_finished(&mut self, id: usize, result: Result<Response, FetchError>) -> Others {
        self.missing -= 1;
        match result {
            Ok(profile) if id == 0 => self.profile = Some(profile),
            Ok(orders) => self.orders = Some(orders),
            Err(error) => {
                self.error.get_or_insert(error);
                // One that has not begun will not.
                self.missing -= self.not_begun.len();
                self.not_begun = [].iter().enumerate();
                return Others::Cancel;
            }
        }
        Others::GoOn
    }

    fn is_over(&self) -> bool {
        self.missing == 0
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn requests<const N: usize>() -> [Request; N] {
        let request = Request::get("http://127.0.0.1/");
        std::array::from_fn(|_| request.clone().expect("the URL is right"))
    }

    fn answer(text: &'static str) -> Result<Response, FetchError> {
        Ok(Response::new(text.into()))
    }

    const FAILURE: FetchError = FetchError::BodyTooLarge { limit: 1 };

    fn batch(requests: &[Request], on_error: OnError) -> Batch<'_> {
        let options = Options {
            max_in_flight: 2.try_into().expect("two is not zero"),
            on_error,
            ..Options::default()
        };
        Batch::new(requests, &options)
    }

    fn begun<'a>(parent: &mut dyn Parent<'a>) -> Vec<usize> {
        std::iter::from_fn(|| parent.next_child())
            .map(|(id, _)| id)
            .collect()
    }

    #[test]
    fn batch_admits_and_keeps_the_order() {
        let requests = requests::<3>();
        let mut batch = batch(&requests, OnError::Finish);
        assert_eq!(begun(&mut batch), [0, 1]);
        assert_eq!(batch.child_finished(1, answer("one")), Others::GoOn);
        assert_eq!(begun(&mut batch), [2]);
        assert_eq!(batch.child_finished(2, Err(FAILURE)), Others::GoOn);
        assert!(!batch.is_over());
        assert_eq!(batch.child_finished(0, answer("zero")), Others::GoOn);
        assert!(batch.is_over());

        let results = batch.into_results();
        let bodies: Vec<_> = results
            .into_iter()
            .map(|r| r.map(Response::into_body))
            .collect();
        assert_eq!(bodies, [Ok("zero".into()), Ok("one".into()), Err(FAILURE)]);
    }

    #[test]
    fn batch_begins_nothing_after_a_failure_that_cancels() {
        let requests = requests::<3>();
        let mut batch = batch(&requests, OnError::CancelOthers);
        assert_eq!(begun(&mut batch), [0, 1]);
        assert_eq!(batch.child_finished(1, Err(FAILURE)), Others::Cancel);
        assert_eq!(begun(&mut batch), []);
        assert!(!batch.is_over(), "the first child has not reported");
        batch.child_finished(0, Err(FetchError::Cancelled));
        assert!(batch.is_over());
        let errors: Vec<_> = batch
            .into_results()
            .into_iter()
            .map(Result::unwrap_err)
            .collect();
        assert_eq!(
            errors,
            [FetchError::Cancelled, FAILURE, FetchError::Cancelled]
        );
    }

    #[test]
    fn batch_of_nothing_is_over() {
        assert!(batch(&[], OnError::Finish).is_over());
    }

    #[test]
    fn page_is_complete_with_its_last_child() {
        let requests = requests();
        let mut page = HomePage::new(&requests);
        assert_eq!(begun(&mut page), [0, 1]);
        assert_eq!(page.child_finished(1, answer("orders")), Others::GoOn);
        assert!(!page.is_over());
        assert_eq!(page.child_finished(0, answer("profile")), Others::GoOn);
        assert!(page.is_over());
        let home = page.into_home().expect("both have come");
        assert_eq!(home.profile.body().as_ref(), b"profile");
        assert_eq!(home.orders.body().as_ref(), b"orders");
    }

    #[test]
    fn page_has_the_first_failure() {
        let requests = requests();
        let mut page = HomePage::new(&requests);
        assert_eq!(begun(&mut page), [0, 1]);
        assert_eq!(page.child_finished(1, Err(FAILURE)), Others::Cancel);
        assert_eq!(
            page.child_finished(0, Err(FetchError::Cancelled)),
            Others::Cancel
        );
        assert!(page.is_over());
        assert_eq!(page.into_home().unwrap_err(), FAILURE);
    }

    #[test]
    fn page_does_not_begin_what_would_be_of_no_use() {
        let requests = requests();
        let mut page = HomePage::new(&requests);
        assert!(page.next_child().is_some());
        assert_eq!(page.child_finished(0, Err(FAILURE)), Others::Cancel);
        assert_eq!(begun(&mut page), []);
        assert!(page.is_over());
    }
}
