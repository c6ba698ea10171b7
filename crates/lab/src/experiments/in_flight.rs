//! A3.1: Little's law. What is unfinished is the rate of arrivals times the time
//! that each takes, however it waits.
//!
//! **Prediction:** the article has 10,000 arrivals a second, each 1 ms of
//! computing and 100 ms of waiting: 1,010 in flight, and ten cores busy. Scaled
//! to this machine: 300 a second are 30.3 in flight and 0.3 cores.
//!
//! **Measured:** an open loop: fetches begin by the clock, whether the earlier
//! ones are over or not. In flight on average: the times of all fetches added up,
//! divided by the time observed. By the client's figures alone this would be little
//! more than arithmetic; so the origin's journal is asked, too, which knows the
//! connections, and that each waits 100 ms. Beside it the queue simulated.
//!
//! **Disturbed by:** load that delays the computing lengthens each time and with
//! it what is in flight: the law then holds for the longer time, which is why the
//! measured time is in the table.

mod ways;

use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use fetch_core::Request;
use serde_json::json;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::host;
use crate::measure::origin::{OriginProcess, Seen};
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::simulation::{Arrivals, Model};
use crate::measure::work::Work;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Axis, Lines, Mark, Plot, Series};
use crate::report::{Report, Table, distance};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "in-flight",
    title: "Little's law: arrivals times duration, however it waits",
    claims: &["A3.1", "A3.7"],
    run,
    subject: Some(serve),
};

const COMPUTE_US: u64 = 1000;
const WAIT_US: u64 = 100_000;
const RATES: [u64; 3] = [100, 200, 300];
const WAYS: [&str; 3] = ["thread each", "own futures", "tokio tasks"];

fn run(lab: &Lab) -> Outcome<Report> {
    let seconds = lab.seconds(2.0);
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(
        "In flight = arrivals a second × 0.101 s. The article's: 1,010, with ten cores busy.",
    );
    let mut table = Table::new(
        "Open loop: 1 ms computing, 100 ms waiting",
        &[
            "how",
            "arrivals",
            "predicted",
            "simulated",
            "in flight",
            "duration",
            "rate × duration",
            "origin's peak",
        ],
    );
    let mut lines = vec![
        line("rate × 0.101 s", Mark::Predicted),
        line("simulated", Mark::Simulated),
    ];
    lines.extend(WAYS.map(|way| line(way, Mark::Measured)));
    let (mut worst, mut law): (f64, f64) = (0.0, 0.0);
    for rate in RATES {
        let arrivals = (seconds * rate as f64).ceil() as usize;
        let predicted = rate as f64 * (COMPUTE_US + WAIT_US) as f64 / 1e6;
        let model = Model {
            slots: None,
            cores: host::cores(),
            compute_us: COMPUTE_US,
            wait_us: WAIT_US,
        };
        let simulated = model
            .simulate(Arrivals::Every(arrivals, 1_000_000 / rate))
            .in_flight;
        lines[0].points.push((rate as f64, predicted));
        lines[1].points.push((rate as f64, simulated));
        for (number, way) in WAYS.iter().enumerate() {
            lab.doing(&format!("{way}, {rate} a second"));
            let parameters = Parameters::new()
                .with("way", number)
                .with(
                    "url",
                    format!("{}/delay/{}/16", origin.url(), WAIT_US / 1000),
                )
                .with("n", arrivals)
                .with("rate", rate);
            let mut peer = subject(&EXPERIMENT, &parameters)?;
            origin.reset()?;
            peer.go()?;
            // As long as fetches begin, and a minute for the last of them.
            let results = peer.results(Duration::from_secs_f64(seconds + 60.0))?;
            let (measured, duration) = in_flight(&results, rate)?;
            let by_law = rate as f64 * duration / 1e6;
            worst = worst.max(distance(measured, predicted));
            law = law.max(distance(measured, by_law));
            let seen = seen_in_flight(&origin.journal()?, rate);
            law = law.max(distance(seen, rate as f64 * WAIT_US as f64 / 1e6));
            report.fact(format!("{way}_{rate}_seen"), seen);
            lines[2 + number].points.push((rate as f64, measured));
            table.row([
                Cell::text(*way),
                Cell::one(rate as f64, Unit::PerSecond),
                Cell::Predicted(predicted, Unit::Count),
                Cell::Predicted(simulated, Unit::Count),
                Cell::one(measured, Unit::Count),
                Cell::one(duration, Unit::Microseconds),
                Cell::one(by_law, Unit::Count),
                Cell::one(origin.peak_in_flight()? as f64, Unit::Count),
            ]);
            report.fact(
                format!("{way}_{rate}_finished"),
                results["durations_us"].as_array().map(Vec::len),
            );
        }
    }
    report.tables.push(table);
    let article = Model {
        slots: None,
        cores: 10,
        compute_us: COMPUTE_US,
        wait_us: WAIT_US,
    };
    let article = article.simulate(Arrivals::Every(50_000, 100));
    report.note(format!(
        "The article's machine, simulated: 10,000 arrivals a second on ten cores have {:.0} in \
         flight on average, and {:.1} cores busy.",
        article.in_flight, article.busy_cores
    ));
    let axis = |label: &str, unit| Axis {
        label: label.to_owned(),
        unit,
        log: false,
    };
    report.plots.push(Plot::Lines(Lines {
        title: "In flight on average, by rate of arrivals".to_owned(),
        x: axis("arrivals a second", Unit::Count),
        y: axis("in flight", Unit::Count),
        series: lines,
    }));
    let why = format!(
        "what is in flight should be the rate times the measured duration, for threads, own \
         futures and tokio's tasks alike; and what the origin sees, the rate times the 100 ms that \
         it waits. The predicted 101 ms were missed by {:.0} % at most: what the machine did \
         besides.",
        worst * 100.0
    );
    report.close_within(law, 0.15, why);
    Ok(report)
}

fn line(name: &str, mark: Mark) -> Series {
    Series {
        name: name.to_owned(),
        mark,
        points: Vec::new(),
    }
}

/// By the client, over the arrivals: in flight on average, and the duration in µs.
fn in_flight(results: &serde_json::Value, rate: u64) -> Outcome<(f64, f64)> {
    let times = |name: &str| -> Outcome<Vec<f64>> {
        let values = results[name].as_array().during(name)?;
        Ok(values.iter().filter_map(|us| us.as_f64()).collect())
    };
    let (begun, durations) = (times("begun_us")?, times("durations_us")?);
    let spans = begun.iter().zip(&durations);
    let spans: Vec<_> = spans
        .map(|(begun, duration)| (*begun, begun + duration))
        .collect();
    let mean = durations.iter().sum::<f64>() / durations.len().max(1) as f64;
    Ok((on_average(&spans, rate), mean))
}

/// By the origin: connections that waited for their answer, on average.
fn seen_in_flight(journal: &[Seen], rate: u64) -> f64 {
    let spans = journal
        .iter()
        .filter_map(|seen| Some((seen.opened_us, seen.response_done_us?)));
    on_average(&spans.collect::<Vec<_>>(), rate)
}

/// How many of these spans of time, in µs, there are at once, on average. What is
/// still building up at the start and draining at the end is left out.
fn on_average(spans: &[(f64, f64)], rate: u64) -> f64 {
    let first = spans.iter().map(|span| span.0);
    let first = first.fold(f64::INFINITY, f64::min);
    let length = spans.len() as f64 / rate as f64 * 1e6;
    let (from, to) = (first + length * 0.3, first + length);
    let inside = spans
        .iter()
        .map(|(begun, ended)| (ended.min(to) - begun.max(from)).max(0.0));
    inside.sum::<f64>() / (to - from)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n = parameters.number::<NonZeroU32>("n")?.get();
    let rate = parameters.number::<NonZeroU32>("rate")?.get();
    let gap = Duration::from_secs(1) / rate;
    let request = Request::get(parameters.text("url")?)?;
    let work = Work::of(Duration::from_micros(COMPUTE_US));
    let way: usize = parameters.number("way")?;
    talk.ready();
    let began = Instant::now();
    let moments: Vec<Instant> = (0..n).map(|number| began + gap * number).collect();
    let times = match way {
        0 => ways::threads(&request, &moments, work)?,
        1 => ways::own(&request, &moments, work)?,
        _ => ways::tokio_tasks(request, moments, work)?,
    };
    let us = |pick: fn(&ways::Times) -> f64| times.iter().map(pick).collect::<Vec<_>>();
    talk.results(&json!({ "begun_us": us(|t| t.0), "durations_us": us(|t| t.1) }));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_overlaps_is_in_flight() {
        // A hundred a second, 50 ms each; a clock that does not begin at zero.
        let begun = (0..100).map(|number| 7e9 + f64::from(number) * 10_000.0);
        let spans: Vec<_> = begun.map(|begun| (begun, begun + 50_000.0)).collect();
        assert!((on_average(&spans, 100) - 5.0).abs() < 1e-3);
    }
}
