//! Every case, as given: the results of all stages equal each other, and not
//! only the parts of them that the case mentions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use agreement::{all_agree, allow_latitude, stages};
use conformance::{Case, Delivery, Fetched, Played, cases, play};

/// Cases at a time: most of them sleep most of the time.
const LANES: usize = 24;

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
        let all = results.iter_mut().flat_map(|(_, results)| results);
        all.for_each(allow_latitude);
    }
    all_agree(&results, |repetition| {
        format!("{}, fetch {repetition}: {}", case.id, case.title)
    })
}
