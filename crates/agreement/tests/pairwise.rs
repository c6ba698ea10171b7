//! Every case, as given: the results of all stages equal each other, and not
//! only the parts of them that the case mentions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agreement::{all_agree, stages};
use conformance::{Case, Delivery, Fetched, Played, cases, play};
use fetch_core::ErrorKind;

/// Cases at a time: most of them sleep most of the time.
const LANES: usize = 8;

#[test]
fn all_stages_agree_on_every_case() {
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(case) = cases().get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = agree_on(case) {
                        let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
                        failures.push(why);
                    }
                }
            });
        }
    });
    let failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn agree_on(case: &Case) -> Result<(), String> {
    let mut results: Vec<(&str, Vec<Fetched>)> = Vec::new();
    // One stage after the other: they share the case's place in the server.
    for (name, subject) in stages() {
        match play(&subject, case, &Delivery::AsGiven)? {
            Played::Skipped(reason) => {
                println!("{}: skipped, {reason}", case.id);
                return Ok(());
            }
            Played::Results { results: timed, .. } => {
                results.push((name, timed.into_iter().map(|one| one.result).collect()));
            }
        }
    }
    if case.has_malformed_head() && case.segments.len() > 1 {
        results
            .iter_mut()
            .for_each(|(_, results)| allow_latitude(results));
    }
    all_agree(&results, |repetition| {
        format!("{}, fetch {repetition}: {}", case.id, case.title)
    })
}

/// A malformed head that comes in pieces may be judged before its blank line or
/// not: then it never is complete, and that shows as one of three kinds.
fn allow_latitude(results: &mut [Fetched]) {
    for result in results {
        if let Err(error) = result
            && [ErrorKind::Disconnected, ErrorKind::Timeout].contains(&error.kind())
        {
            *result = Err(fetch_core::FetchError::InvalidHead {
                reason: "malformed, and cut before its blank line".into(),
            });
        }
    }
}
