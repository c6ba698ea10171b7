//! What a fetch costs in processor time, system calls and wake-ups: shared
//! figures of `scoreboard`.

use std::time::Duration;

use serde_json::Value;

use crate::contestants::{Contestant, all_ok};
use crate::failure::{During, Outcome};
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::syscalls;

/// Fetches in flight wherever this file measures.
pub(super) const IN_FLIGHT: usize = 100;
const LIMIT: Duration = Duration::from_secs(60);

/// µs of processor time for each of `n` fetches whose answers come at once.
pub(super) fn of_a_fetch(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
) -> Outcome<Option<f64>> {
    let results = crowd(origin, contestant, n, "/bytes/16", &[])?;
    Ok(results["cpu_us"].as_f64().map(|us| us / n as f64))
}

/// µs of processor time for one time of waiting and being resumed.
///
/// Bodies of many bytes, one at a time, against bodies of one: the difference
/// is a wait for each byte more, and nothing else.
pub(super) fn of_a_resume(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    drips: usize,
) -> Outcome<Option<f64>> {
    let long = format!("/drip/{drips}/5");
    let many = crowd(origin, contestant, IN_FLIGHT, &long, &[])?;
    let few = crowd(origin, contestant, IN_FLIGHT, "/drip/1/5", &[])?;
    let cpu = |results: &Value| results["cpu_us"].as_f64();
    let waits = ((drips - 1) * IN_FLIGHT) as f64;
    Ok((|| Some((cpu(&many)? - cpu(&few)?) / waits))())
}

/// System calls of a fetch; or why they were not counted.
pub(super) fn system_calls(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
) -> Outcome<Result<syscalls::Calls, &'static str>> {
    if let Some(why) = syscalls::missing() {
        return Ok(Err(why));
    }
    let counted = |n| {
        let job = job(origin, n, "/delay/50/16");
        contestant.system_calls(&job, LIMIT)
    };
    let (few, many) = (counted(n)?, counted(3 * n)?);
    Ok(Ok(many.per_fetch(&few, 2.0 * n as f64)))
}

/// How often a fetch waits and is resumed, by its trace. `None` for a program
/// that has no such trace.
pub(super) fn wake_ups(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
) -> Outcome<Option<f64>> {
    let results = crowd(origin, contestant, n, "/delay/50/16", &[("trace", 1)])?;
    Ok(results["trace"]["resumed"]
        .as_f64()
        .map(|resumed| resumed / n as f64))
}

/// Runs a crowd and gives its results, all of them successes.
pub(super) fn crowd(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
    path: &str,
    more: &[(&str, usize)],
) -> Outcome<Value> {
    let job = job(origin, n, path);
    let job = more
        .iter()
        .fold(job, |job, (key, value)| job.with(key, value));
    let results = contestant.start(&job)?.run(LIMIT)?;
    all_ok(&results, n).during(&contestant.name)?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    Ok(results)
}

fn job(origin: &OriginProcess, n: usize, path: &str) -> Parameters {
    Parameters::new()
        .with("job", "crowd")
        .with("origins", origin.urls())
        .with("path", path)
        .with("n", n)
        .with("in-flight", IN_FLIGHT)
}
