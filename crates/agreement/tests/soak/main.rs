//! Two thousand fetches in each stage, with faults, drips, refusals, names,
//! deadlines and cancellations mixed at random. Afterwards nothing is left: no
//! thread, no descriptor, no connection.
//!
//! The only test of its program, so that what it counts is its own. Another
//! seed: `AGREEMENT_SEED`; more or fewer: `AGREEMENT_FETCHES`.

mod plan;
mod scripts;

use std::time::{Duration, Instant};

use agreement::{Random, all_agree, number_from, seed, show, stages};
use conformance::machine::{at_rest, eventually, holdings};
use conformance::{Fetched, Subject};
use origin::{Config, Origin};

use crate::plan::{Group, Servers};

/// How long after its last fetch a stage may still be letting go.
const PATIENCE: Duration = Duration::from_secs(5);

#[test]
fn two_thousand_fetches_leave_nothing_behind() -> Result<(), String> {
    let fetches = number_from("AGREEMENT_FETCHES", 2000) as usize;
    let mut random = Random::new(seed());
    let origin = Origin::start(Config::default()).map_err(|error| error.to_string())?;
    let servers = Servers::start(&origin)?;
    let mut groups: Vec<Group> = Vec::new();
    while groups.iter().map(Group::len).sum::<usize>() < fetches {
        groups.push(Group::any(&servers, &mut random)?);
    }

    let mut all: Vec<(&str, Vec<Fetched>)> = Vec::new();
    for (name, stage) in stages() {
        let begun = Instant::now();
        // What a process does once and keeps must not count.
        run(&stage, &groups[..1])?;
        let before = at_rest(holdings);
        let results = run(&stage, &groups)?;
        let nothing_open = || origin.open_connections() == 0;
        if !eventually(PATIENCE, nothing_open) {
            return Err(format!(
                "{name} leaves {} connections",
                origin.open_connections()
            ));
        }
        if let Some(before) = before
            && !eventually(PATIENCE, || {
                holdings().is_some_and(|now| now.within(before))
            })
        {
            return Err(format!(
                "{name}: {before:?} before and {:?} after",
                holdings()
            ));
        }
        println!("{name}: {} fetches in {:?}", results.len(), begun.elapsed());
        all.push((name, results));
    }
    if holdings().is_none() {
        println!("threads and descriptors are not measured on this system");
    }
    let planned: Vec<_> = groups.iter().flat_map(Group::planned).collect();
    all_agree(&all, |index| planned[index].to_string())
}

/// All groups, one after the other, each compared with its plan.
fn run(stage: &Subject, groups: &[Group]) -> Result<Vec<Fetched>, String> {
    let mut results = Vec::new();
    for group in groups {
        let fetched = stage.fetch_all(group.requests(), group.options())?.result;
        for (planned, fetched) in group.planned().zip(&fetched) {
            if !planned.expects(fetched) {
                return Err(format!("{planned}, and not {}", show(fetched)));
            }
        }
        results.extend(fetched);
    }
    Ok(results)
}
