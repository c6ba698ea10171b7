//! B5.1 (and B0): 80 + 120 ms in sequence are 200 ms; side by side they are
//! 120 ms, in one task and on one thread.
//!
//! **Prediction:** 200 and 120 ms in every stage; what a stage adds is its own
//! cost: a thread started, a runtime set up.
//!
//! **Measured:** each contestant does both, in turn, in a process of its own;
//! the origin's delays are timers of its event loop, which fire up to a
//! millisecond late.
//!
//! **Disturbed by:** anything else that runs on the machine; medians.

use std::time::Duration;

use crate::contestants::Contestant;
use crate::experiments::Experiment;
use crate::failure::Outcome;
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table, distance};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "together",
    title: "80 + 120 ms, one after the other and side by side",
    claims: &["B0", "B5.1"],
    run,
    subject: None,
};

const IN_SEQUENCE_US: f64 = 200_000.0;
const TOGETHER_US: f64 = 120_000.0;

fn run(lab: &Lab) -> Outcome<Report> {
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict("200 ms in sequence and 120 ms together, in every stage.");
    let mut table = Table::new(
        "Time for both halves of the home page",
        &[
            "contestant",
            "what",
            "in sequence",
            "together",
            "together, at most (goal 123 ms)",
        ],
    );
    let mut bars = Vec::new();
    let mut worst: f64 = 0.0;
    for contestant in lab.contestants() {
        lab.doing(&contestant.name);
        let (in_sequence, together) = times(&mut origin, &contestant, lab.runs(5))?;
        let (sequence, side_by_side) = (in_sequence.median(), together.median());
        for (median, predicted) in [(sequence, IN_SEQUENCE_US), (side_by_side, TOGETHER_US)] {
            worst = worst.max(median.map_or(0.0, |median| distance(median, predicted)));
        }
        let goal = match side_by_side {
            Some(us) if us <= 123_000.0 => Cell::text("reached"),
            Some(_) => Cell::text("missed"),
            None => Cell::not_here(),
        };
        table.row([
            Cell::text(&contestant.name),
            Cell::text(&contestant.what),
            Cell::sample(&in_sequence, Unit::Microseconds),
            Cell::sample(&together, Unit::Microseconds),
            goal,
        ]);
        report.fact(format!("{}_together_us", contestant.name), side_by_side);
        bars.push((contestant.name, vec![sequence, side_by_side]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "80 + 120 ms: in sequence and together".to_owned(),
        unit: Unit::Microseconds,
        log: false,
        series: vec!["in sequence".to_owned(), "together".to_owned()],
        bars,
    }));
    report.close_within(
        worst,
        0.05,
        "the longer of the two should decide, in every stage.",
    );
    Ok(report)
}

/// Both times of one contestant, in µs. A program that does not say one of them
/// has none.
pub(super) fn times(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    times: usize,
) -> Outcome<(Sample, Sample)> {
    let job = Parameters::new()
        .with("job", "home")
        .with("origins", origin.url())
        .with("times", times);
    let limit = Duration::from_secs(20 + times as u64);
    let results = contestant.start(&job)?.run(limit)?;
    let sample = |name: &str| {
        let values = results[name].as_array().into_iter().flatten();
        values.filter_map(|us| us.as_f64()).collect()
    };
    Ok((sample("in_sequence_us"), sample("together_us")))
}
