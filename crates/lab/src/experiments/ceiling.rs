//! A3.8: threads have a ceiling of their own.
//!
//! **Prediction:** a process can start threads until a limit of the system is
//! reached: memory maps (each stack takes some), threads in all, process ids, or
//! what its container may have.
//! At Linux's default of 65,530 maps that is at about 16,300. It may end in
//! an error of `spawn`; or, if the last map is taken between a stack and its
//! guard, in an abort, since std does not run a thread unguarded. So it happens
//! in a child.
//!
//! **Measured:** how many threads the child had when it ended, and its last words.
//!
//! **Disturbed by:** other processes that hold threads, if the limit is not the
//! process's own.

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::host;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::{Talk, say};
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table, distance};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "ceiling",
    title: "where starting threads stops, and how",
    claims: &["A3.8"],
    run,
    subject: Some(serve),
};

/// More than that are not tried: a machine without a limit would go on.
const MOST: usize = 40_000;
/// After how many threads the child says how many there are.
const STEP: usize = 50;

fn run(lab: &Lab) -> Outcome<Report> {
    let most = lab.n(MOST);
    let (predicted, limit) = host::max_threads();
    let mut report = Report::default();
    report.predict(format!("About {predicted} threads: {limit}."));
    lab.doing(&format!("up to {most} threads, in a child"));
    let parameters = Parameters::new().with("n", most);
    let mut peer = subject(&EXPERIMENT, &parameters)?;
    peer.go()?;
    let mut threads = 0;
    let end = loop {
        match peer.json(Duration::from_secs(60)) {
            Ok(said) => {
                threads = said["threads"].as_u64().during("threads")?;
                if let Some(end) = said["end"].as_str() {
                    break end.to_owned();
                }
            }
            Err(failure) => break last_words(&failure.to_string()),
        }
    };
    let mut table = Table::new(
        "Threads that do nothing, in one process",
        &["started", "predicted", "limit", "how it ended"],
    );
    table.row([
        Cell::one(threads as f64, Unit::Count),
        Cell::Predicted(predicted as f64, Unit::Count),
        Cell::text(limit),
        Cell::text(&end),
    ]);
    report.tables.push(table);
    report.fact("threads", threads);
    report.fact("end", end.clone());
    if threads >= most as u64 {
        report.leave_open(format!(
            "{most} threads were asked for, and all were started."
        ));
    } else if limit == host::NO_LIMIT {
        report.leave_open(format!("{threads} threads, and then: {end}; {limit}."));
    } else {
        let why = format!("{threads} threads, and then: {end}. The lowest limit is {limit}.");
        report.close_within(distance(threads as f64, predicted as f64), 0.1, why);
    }
    Ok(report)
}

/// The panic or the abort, without what the lab added to it.
fn last_words(failure: &str) -> String {
    let words = failure.split("last words: ").last().unwrap_or(failure);
    let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with("note:"));
    lines.take(3).collect::<Vec<_>>().join(" ")
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    talk.ready();
    for started in 0..n {
        // It ends with the process; nobody needs more of it; `n` bounds them.
        let thread = thread::Builder::new().stack_size(64 << 10).spawn(|| {
            loop {
                thread::park();
            }
        });
        if let Err(error) = thread {
            talk.results(&json!({ "threads": started, "end": format!("an error: {error}") }));
            return Ok(());
        }
        if (started + 1) % STEP == 0 {
            say(&json!({ "threads": started + 1 }).to_string());
        }
    }
    talk.results(&json!({ "threads": n, "end": "all were started" }));
    Ok(())
}
