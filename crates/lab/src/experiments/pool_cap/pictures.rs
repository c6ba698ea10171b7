//! The rate over the number of workers: as measured here, and simulated on the
//! article's ten cores.

use super::case::{cap, model};
use super::{PLACES, Row, WORKERS};
use crate::measure::simulation::Arrivals;
use crate::report::cell::Unit;
use crate::report::plot::{Axis, Lines, Mark, Plot, Series};

/// This machine: the pools over their workers, and the single threads, which have
/// none, as level lines.
pub(super) fn here(rows: &[Row]) -> Plot {
    let over_workers = |name: &str, mark, rate: fn(&Row) -> f64| {
        let pools = rows.iter().filter_map(|row| {
            let workers = row.case.workers?;
            Some((workers as f64, rate(row)))
        });
        Series {
            points: pools.collect(),
            ..series(name, mark)
        }
    };
    let mut lines = vec![
        over_workers("w / 0.101 s", Mark::Predicted, |row| row.case.predicted),
        over_workers("simulated", Mark::Simulated, |row| row.simulated),
        over_workers("stage2, measured", Mark::Measured, Row::rate),
    ];
    let ends = [WORKERS[0], WORKERS[WORKERS.len() - 1]];
    let level = rows
        .iter()
        .filter(|row| row.case.workers.is_none() && row.case.places == PLACES[1]);
    lines.extend(level.map(|row| Series {
        points: ends.map(|workers| (workers as f64, row.rate())).to_vec(),
        ..series(&format!("{}, one thread", row.case.name), Mark::Measured)
    }));
    plot("Jobs a second, here", lines, "workers")
}

/// The article's machine: how far more workers help there.
pub(super) fn on_ten_cores() -> Plot {
    let workers = [50, 100, 200, 500, 1000, 2000, 5000];
    let simulated = workers.map(|slots| {
        let rate = model(Some(slots), 10)
            .simulate(Arrivals::Every(50_000, 100))
            .rate;
        (slots as f64, rate)
    });
    let predicted = workers.map(|slots| (slots as f64, cap(slots).min(10_000.0)));
    let lines = vec![
        Series {
            points: predicted.to_vec(),
            ..series("w / 0.101 s, at most 10,000", Mark::Predicted)
        },
        Series {
            points: simulated.to_vec(),
            ..series("simulated", Mark::Simulated)
        },
    ];
    plot("Jobs a second, ten cores, simulated", lines, "workers")
}

fn series(name: &str, mark: Mark) -> Series {
    Series {
        name: name.to_owned(),
        mark,
        points: Vec::new(),
    }
}

fn plot(title: &str, series: Vec<Series>, x: &str) -> Plot {
    let axis = |label: &str, unit| Axis {
        label: label.to_owned(),
        unit,
        log: true,
    };
    Plot::Lines(Lines {
        title: title.to_owned(),
        x: axis(x, Unit::Count),
        y: axis("jobs a second", Unit::PerSecond),
        series,
    })
}
