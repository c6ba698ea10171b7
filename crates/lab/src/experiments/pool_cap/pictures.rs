//! The rate over the number of workers: as measured here, and simulated on the
//! article's ten cores.

use super::{COMPUTE_US, WAIT_US, model};
use crate::measure::simulation::Arrivals;
use crate::report::cell::Unit;
use crate::report::plot::{Axis, Lines, Mark, Plot, Series};

/// The article's machine: how far more workers help there.
pub(super) fn on_ten_cores() -> Plot {
    let workers = [50, 100, 200, 500, 1000, 2000, 5000];
    let simulated = workers.map(|slots| {
        let rate = model(Some(slots), 10)
            .simulate(Arrivals::Every(50_000, 100))
            .rate;
        (slots as f64, rate)
    });
    let predicted = workers.map(|slots| {
        let cap = slots as f64 * 1e6 / (COMPUTE_US + WAIT_US) as f64;
        (slots as f64, cap.min(10_000.0))
    });
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

pub(super) fn series(name: &str, mark: Mark) -> Series {
    Series {
        name: name.to_owned(),
        mark,
        points: Vec::new(),
    }
}

pub(super) fn plot(title: &str, series: Vec<Series>, x: &str) -> Plot {
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
