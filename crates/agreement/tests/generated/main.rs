//! Generated responses: every stage must say what the generator predicts.
//!
//! The generator knows the outcome because it made the response: it counts where
//! head and body end, and never parses anything. When a response fails,
//! proptest looks for a smaller one that fails as well, and prints it.

mod exchange;
mod strategy;

use std::thread;

use agreement::{number_from, seed, show, stages};
use conformance::{Expected, Fetched, Subject, compare};
use fetch_core::{Options, Request};
use origin::{Config, Origin};
use proptest::test_runner::{Config as Proptest, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use crate::exchange::Exchange;

#[test]
fn every_stage_gets_what_the_generator_predicts() {
    let config = Proptest {
        cases: number_from("AGREEMENT_CASES", 200) as u32,
        // The seed that is printed repeats a failure, and no file is left.
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Proptest::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed().to_le_bytes());
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let origin = Origin::start(Config::default()).expect("a server to test with");
    let stages = stages();

    let outcome = TestRunner::new_with_rng(config, random).run(&strategy::exchange(), |exchange| {
        try_all(&exchange, &origin, &stages).map_err(TestCaseError::fail)
    });
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

/// One exchange in all stages, at the same time.
fn try_all(
    exchange: &Exchange,
    origin: &Origin,
    stages: &[(&'static str, Subject)],
) -> Result<(), String> {
    let script = exchange.script();
    origin
        .script("generated", script)
        .map_err(|error| error.to_string())?;
    let no_fields: [(&str, &str); 0] = [];
    let request = Request::new(
        exchange.method,
        &origin.url("/case/generated"),
        no_fields,
        "",
    );
    let request = request.map_err(|error| error.to_string())?;
    let options = Options {
        max_body_bytes: exchange.max_body_bytes(),
        ..Options::default()
    };
    let expected = exchange.prediction();
    let results: Vec<_> = thread::scope(|scope| {
        let fetches: Vec<_> = stages
            .iter()
            .map(|(name, stage)| {
                (
                    *name,
                    scope.spawn(|| stage.fetch(request.clone(), &options)),
                )
            })
            .collect();
        let joined = fetches
            .into_iter()
            .map(|(name, fetch)| (name, fetch.join()));
        joined.collect()
    });
    for (name, result) in results {
        let fetched = result
            .map_err(|_| "the test itself panicked".to_owned())??
            .result;
        check(&expected, &fetched).map_err(|why| {
            format!(
                "{name}: {why}\n  predicted {expected:?}\n  got {}",
                show(&fetched)
            )
        })?;
    }
    Ok(())
}

fn check(expected: &Expected, fetched: &Fetched) -> Result<(), String> {
    match (expected, fetched) {
        (Expected::Response(expected), Ok(response)) => compare(expected, response, 0),
        (Expected::Error(kind), Err(error)) if error.kind() == *kind => Ok(()),
        _ => Err("not as predicted".into()),
    }
}
