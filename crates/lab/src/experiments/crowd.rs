//! `n` fetches waiting at once, and what they occupy: shared by `scoreboard`
//! and `waiting-memory`. How many this machine carries, others ask as well.
//!
//! The figures are read twice: when the contestant is ready, its requests made;
//! and when the origin has seen all `n` in flight and the contestant has come to
//! rest. The difference is what waiting costs.

use std::thread;
use std::time::{Duration, Instant};

use crate::contestants::{Contestant, all_ok};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::counters::Counters;
use crate::measure::host;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::peer::{Counted, Peer};

/// How long the answers are held back: long enough for the slowest to have all
/// its connections, and for the figures to be read.
const HOLD_BASE_MS: usize = 300;
const HOLD_EACH_US: usize = 420;
/// A contestant whose heap has not changed for so long waits, and does nothing
/// else.
const REST: Duration = Duration::from_millis(30);
/// If that was too short, because the machine was busy: so often, with twice
/// the time.
const TRIES: u32 = 3;

/// What `n` waiting fetches have added.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// How many the origin had in flight at once.
    pub(super) n: usize,
    pub(super) system: Counters,
    /// Bytes live in the allocator, less the requests (the caller's) and room
    /// for the results (the caller's as well). Unknown for programs whose
    /// allocator does not count.
    pub(super) heap: Option<f64>,
    /// Bytes live in the allocator that were not when the contestant was ready,
    /// its requests made: the heap's part of the system's anonymous memory.
    pub(super) heap_since_ready: Option<f64>,
    /// Blocks live in the allocator that were not before.
    pub(super) blocks: Option<f64>,
}

impl Waiting {
    /// Bytes of anonymous memory for each fetch.
    pub(super) fn anonymous_each(&self) -> Option<f64> {
        Some(self.system.anonymous? / self.n as f64)
    }

    pub(super) fn heap_each(&self) -> Option<f64> {
        Some(self.heap? / self.n as f64)
    }

    pub(super) fn blocks_each(&self) -> Option<f64> {
        Some(self.blocks? / self.n as f64)
    }
}

/// As many as this machine carries for this contestant, saying so beforehand.
pub(super) fn scaled_down(lab: &Lab, contestant: &Contestant, wanted: usize) -> usize {
    let connections = host::max_connections();
    if wanted > connections {
        lab.warn(&format!(
            "{wanted} connections are more than the {connections} descriptors that a process \
             may have here (ulimit -Hn); scaled down"
        ));
    }
    let (threads, limit) = host::max_threads();
    if contestant.needs_threads() && wanted > threads {
        lab.warn(&format!(
            "{} takes a thread a fetch, and {wanted} are more than the {threads} that {limit} \
             allows; scaled down",
            contestant.name
        ));
        return connections.min(threads);
    }
    wanted.min(connections)
}

/// As many as this machine carries for each of the stages.
pub(super) fn for_every_stage(lab: &Lab, wanted: usize) -> usize {
    let stages = Contestant::stages();
    stages
        .iter()
        .fold(wanted, |n, stage| scaled_down(lab, stage, n))
}

/// Measures one contestant.
pub(super) fn measure(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
) -> Outcome<Waiting> {
    let shortest = HOLD_BASE_MS + n * HOLD_EACH_US / 1000;
    let mut longest = 0;
    for doubled in 0..TRIES {
        longest = shortest << doubled;
        if let Some(waiting) = attempt(origin, contestant, n, longest)? {
            return Ok(waiting);
        }
    }
    let name = &contestant.name;
    Err(Failure::new(format!(
        "{name} did not have {n} fetches in flight at once, and at rest, within {longest} ms"
    )))
}

/// `None`: the first answers came before the last requests, or before the contestant
/// had come to rest.
fn attempt(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
    hold_ms: usize,
) -> Outcome<Option<Waiting>> {
    let limit = Duration::from_millis(hold_ms as u64 * 3 + 20_000);
    let job = Parameters::new()
        .with("job", "crowd")
        .with("origins", origin.urls())
        .with("path", format!("/delay/{hold_ms}/16"))
        .with("n", n)
        .with("in-flight", n)
        .with("deadline-ms", limit.as_millis());
    let mut peer = contestant.start(&job)?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    origin.reset()?;
    let (before, counted_before) = (peer.counters(), peer.count()?);
    let hold = Duration::from_millis(hold_ms as u64);
    let first_answer = Instant::now() + hold;
    peer.go()?;
    if !origin.wait_for(n, hold)? {
        // Because fetches failed? Then more time is no help.
        all_ok(&peer.results(limit)?, n).during(&contestant.name)?;
        return Ok(None);
    }
    let seen = origin.peak_in_flight()?;
    let counted = count_at_rest(&mut peer, first_answer)?;
    let system = peer.counters().since(&before);
    if Instant::now() > first_answer {
        return Ok(None);
    }
    let results = peer.results(limit)?;
    all_ok(&results, n).during(&contestant.name)?;

    let number = |name: &str| results[name].as_f64();
    let heap = (|| Some(counted?.live_bytes - number("live_before_requests")?))();
    let heap_since_ready = (|| Some(counted?.live_bytes - counted_before?.live_bytes))();
    let callers = (|| Some(number("requests_bytes")? + number("results_bytes")?))();
    let blocks = (|| Some(counted?.live_blocks - counted_before?.live_blocks))();
    Ok(Some(Waiting {
        n: seen,
        system,
        heap: (|| Some(heap? - callers?))(),
        heap_since_ready,
        blocks,
    }))
}

/// What it holds when it does nothing but wait. To the origin a fetch is in
/// flight from when its connection is accepted, and the contestant may be at
/// connecting still, which takes other room than waiting for the answer.
fn count_at_rest(peer: &mut Peer, until: Instant) -> Outcome<Option<Counted>> {
    let mut counted = peer.count()?;
    loop {
        thread::sleep(REST);
        let again = peer.count()?;
        if again == counted || Instant::now() > until {
            return Ok(again);
        }
        counted = again;
    }
}
