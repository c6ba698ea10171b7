//! A4.3, A7.5, B6, B17: one call that blocks stops everybody on its thread.
//!
//! **Prediction:** while one fetch blocks its thread for 300 ms, stages 1 and 2
//! do not notice; in stages 3 to 5 every other fetch is late by up to that time.
//! In tokio, a heartbeat stops on one worker; on two it may go on, but what is
//! joined into the same task surely stops. A timer instead of the sleep, or
//! `spawn_blocking`, mends it.
//!
//! **Measured:** *stages:* 21 fetches of 100 ms, and fetch 0 blocks when it first
//! resumes; the others' times by the trace. *tokio:* a heartbeat every 10 ms, the
//! longest time between two beats.
//!
//! **Disturbed by:** little; the block is far longer than any hiccup.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::contestants::Contestant;
use crate::experiments::{Experiment, cpu_per_fetch, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "stall",
    title: "a heartbeat while one task blocks, on one worker and on two, then mended",
    claims: &["A4.3", "A7.5", "B6", "B17"],
    run,
    subject: Some(serve),
};

const BLOCK: Duration = Duration::from_millis(300);
const BEAT: Duration = Duration::from_millis(10);
const FETCHES: usize = 21;

/// In tokio: how, on how many workers, and whether the heartbeat should stop.
/// `None`: it may. The heartbeat is a task of its own there, and goes on if the
/// other worker has it; but a task that was woken last stands in the blocked
/// worker's LIFO slot, which tokio does not let others steal from.
const VARIANTS: [(&str, usize, Option<bool>); 6] = [
    ("thread::sleep in a task", 1, Some(true)),
    ("thread::sleep in a task", 2, None),
    ("thread::sleep, joined to the heartbeat", 2, Some(true)),
    ("tokio::time::sleep in a task", 1, Some(false)),
    ("spawn_blocking", 1, Some(false)),
    ("spawn_blocking, joined to the heartbeat", 2, Some(false)),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report
        .predict("A blocked worker stops all that it runs, for as long as it is blocked: 300 ms.");
    let mut as_predicted = true;
    let mut bars = Vec::new();

    let mut table = Table::new(
        "Stages: 20 fetches of 100 ms while another one blocks its thread for 300 ms",
        &[
            "contestant",
            "the slowest of the 20",
            "late by a block",
            "predicted",
        ],
    );
    for contestant in Contestant::stages() {
        lab.doing(&contestant.name);
        let more = [("stall-ms", BLOCK.as_millis() as usize)];
        let results =
            cpu_per_fetch::crowd(&mut origin, &contestant, FETCHES, "/delay/100/16", &more)?;
        let latencies = results["trace"]["latencies_us"]
            .as_array()
            .during("times")?;
        if latencies.len() != FETCHES {
            let heard = latencies.len();
            return Err(Failure::new(format!(
                "{}: the trace tells of {heard} fetches, not of {FETCHES}",
                contestant.name
            )));
        }
        // Fetch 0 is the one that blocks.
        let others = latencies.iter().skip(1).filter_map(|us| us.as_f64());
        let slowest = others.fold(0.0, f64::max);
        let shares_a_thread = !contestant.needs_threads();
        let late = slowest >= BLOCK.as_micros() as f64;
        as_predicted &= late == shares_a_thread;
        table.row([
            Cell::text(&contestant.name),
            Cell::one(slowest, Unit::Microseconds),
            Cell::text(if late { "yes" } else { "no" }),
            Cell::text(if shares_a_thread { "yes" } else { "no" }),
        ]);
        report.fact(format!("{}_late", contestant.name), late);
        bars.push((contestant.name, vec![Some(slowest)]));
    }
    report.tables.push(table);

    let mut table = Table::new(
        "tokio: the longest time between two beats of 10 ms",
        &[
            "what blocks",
            "workers",
            "longest pause",
            "stopped",
            "predicted",
        ],
    );
    for (number, (what, workers, stops)) in VARIANTS.iter().enumerate() {
        lab.doing(what);
        let mut pauses = Sample::default();
        for _ in 0..lab.runs(3) {
            let parameters = Parameters::new().with("variant", number);
            let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(20))?;
            pauses.push(results["longest_pause_us"].as_f64().during("the pause")?);
        }
        let pause = pauses.median().during("the pause")?;
        let stopped = pause >= BLOCK.as_micros() as f64 * 0.8;
        as_predicted &= stops.is_none_or(|stops| stopped == stops);
        table.row([
            Cell::text(*what),
            Cell::one(*workers as f64, Unit::Count),
            Cell::sample(&pauses, Unit::Microseconds),
            Cell::text(if stopped { "yes" } else { "no" }),
            Cell::text(match stops {
                Some(true) => "yes",
                Some(false) => "no",
                None => "it may",
            }),
        ]);
        report.fact(format!("tokio_{number}_stopped"), stopped);
        bars.push((format!("{what} ({workers})"), vec![Some(pause)]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "While something blocks for 300 ms: slowest fetch, longest pause".to_owned(),
        unit: Unit::Microseconds,
        log: false,
        series: vec!["time".to_owned()],
        bars: bars
            .into_iter()
            .map(|(name, value)| (shortened(&name), value))
            .collect(),
    }));
    report.note(
        "Runtimes are tokio's multi-thread flavour with that many workers. On two, whether a \
         task beside the blocked one goes on is a matter of luck: the min and max of the second \
         row show both. Only what is joined into the blocked task surely stops.",
    );
    let why = if as_predicted {
        "what shares the blocked thread, or the blocked task, stops; nothing else does."
    } else {
        "see the rows where the last two columns differ."
    };
    report.close(as_predicted, why);
    Ok(report)
}

fn shortened(name: &str) -> String {
    let short = name
        .replace(" in a task", "")
        .replace(", joined to the heartbeat", ", joined");
    short.replace("tokio::time::", "time::")
}

/// A heartbeat, and beside it something that takes 300 ms.
fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let variant: usize = parameters.number("variant")?;
    let (_, workers, _) = VARIANTS.get(variant).during("a variant")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(*workers)
        .enable_time()
        .build()?;
    talk.ready();
    let block = async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        match variant {
            0..=2 => std::thread::sleep(BLOCK),
            3 => tokio::time::sleep(BLOCK).await,
            _ => {
                // When does it end? After the sleep. Who cancels it? Nobody can.
                // Who receives its result? This await. How many? One.
                let _ = tokio::task::spawn_blocking(|| std::thread::sleep(BLOCK)).await;
            }
        }
    };
    let joined = variant == 2 || variant == 5;
    let longest = runtime.block_on(async {
        // They end after `longest_pause`; nobody cancels them; they are awaited here;
        // there are two at most.
        let both = async move {
            if joined {
                // One task, so that one is not polled while the other blocks.
                let both = tokio::spawn(async { tokio::join!(longest_pause(), block).0 });
                both.await
            } else {
                let heart = tokio::spawn(longest_pause());
                let other = tokio::spawn(block);
                let longest = heart.await;
                let _ = other.await;
                longest
            }
        };
        both.await
    });
    let longest = longest.map_err(|error| Failure::new(error.to_string()))?;
    talk.results(&json!({ "longest_pause_us": longest.as_micros() as f64 }));
    Ok(())
}

/// Beats for a while, and says how long it was silent.
async fn longest_pause() -> Duration {
    let mut longest = Duration::ZERO;
    let mut last = Instant::now();
    let end = last + BLOCK * 2;
    while last < end {
        tokio::time::sleep(BEAT).await;
        longest = longest.max(last.elapsed());
        last = Instant::now();
    }
    longest
}
