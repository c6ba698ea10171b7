//! Requests on the wire: the server sees the same bytes, whatever stage sends
//! them.

mod requests;
mod urls;

use std::collections::BTreeMap;

use agreement::stages;
use bytes::Bytes;
use conformance::Subject;
use fetch_core::{Options, Request};
use origin::Origin;

/// What the server saw of `requests` when `stage` made them, by request target.
fn seen(origin: &Origin, stage: &Subject, requests: &[Request], options: &Options) -> Seen {
    origin.clear_journal();
    let fetched = stage.fetch_all(requests.to_vec(), options);
    let fetched = fetched.unwrap_or_else(|why| panic!("{why}")).result;
    for (request, result) in requests.iter().zip(&fetched) {
        assert!(result.is_ok(), "{}: {result:?}", request.url());
    }
    let mut seen = Seen::new();
    for connection in origin.journal() {
        let target = connection.target.unwrap_or_default();
        seen.entry(target).or_default().push(connection.request);
    }
    seen.values_mut().for_each(|requests| requests.sort());
    seen
}

type Seen = BTreeMap<String, Vec<Bytes>>;

/// Makes `requests` in every stage, and gives what the server saw of each.
///
/// # Panics
///
/// If that is not the same in all of them.
fn seen_by_all(origin: &Origin, requests: &[Request], options: &Options) -> Seen {
    let mut all = stages()
        .into_iter()
        .map(|(name, stage)| (name, seen(origin, &stage, requests, options)));
    let (first, expected) = all.next().expect("there are stages");
    for (name, seen) in all {
        for (target, bytes) in &expected {
            assert_eq!(
                Some(bytes),
                seen.get(target),
                "{first} and {name} differ on {target}"
            );
        }
        assert_eq!(
            seen.len(),
            expected.len(),
            "{name} asked for something else"
        );
    }
    expected
}
