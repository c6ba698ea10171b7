//! A3.2: workers that wait cap the rate while cores idle.
//!
//! **Prediction:** `w` workers whose jobs take 1 ms of computing and 100 ms of
//! waiting finish `w / 0.101 s`; 200 of them 1,980 a second, however many cores
//! there are. Here 20 workers (198/s), so that the machine is not the limit.
//! One thread that does not wait passes this, and ends at 1,000/s, when the
//! computing fills it. It comes near to that slowly: while it computes, nobody's
//! next request is sent, so `p` fetches in flight go in rounds, `p / (p * 1 ms +
//! 100 ms)`, which is 667/s for 200 of them and 909/s for 1,000.
//!
//! **Measured:** a closed crowd, `n` divided by the time it took. The millisecond
//! is computed on the thread that ran the fetch, when it finishes. Beside it the
//! queue simulated, where neither kernel nor clock interferes, which also carries
//! the picture on to the article's ten cores.
//!
//! **Disturbed by:** other load, for the stages on one thread, which are limited
//! by the processor; not for the pools, which are limited by waiting.

mod case;
mod pictures;

use std::time::Duration;

use crate::contestants::{Contestant, all_ok};
use crate::experiments::Experiment;
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table, distance};

use self::case::{Case, cap};
use self::pictures::{here, on_ten_cores};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "pool-cap",
    title: "waiting workers cap the rate while cores idle",
    claims: &["A2.2", "A3.1", "A3.2"],
    run,
    subject: None,
};

/// How long a run takes, as predicted.
const SECONDS: f64 = 1.5;
const COMPUTE_US: u64 = 1000;
const WAIT_US: u64 = 100_000;
const WORKERS: [usize; 4] = [5, 10, 20, 40];
/// Fetches in flight of those that need no worker. A hundred would fill the
/// thread if each next request went out at once.
const PLACES: [usize; 2] = [200, 1000];
const WITHOUT_WORKERS: [&str; 4] = ["stage3", "stage4-enum", "stage4-async", "stage5-hand"];

fn run(lab: &Lab) -> Outcome<Report> {
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(
        "w workers: w / 0.101 s. One thread that does not wait, with p in flight: p / (p * 1 ms + \
         100 ms), never more than 1,000/s.",
    );
    let mut cases = WORKERS.map(Case::pool).to_vec();
    for name in WITHOUT_WORKERS {
        cases.extend(PLACES.map(|places| Case::one_thread(name, places)));
    }
    let contestants = Contestant::stages();
    let mut table = Table::new(
        "Jobs a second: 1 ms computing, 100 ms waiting",
        &[
            "contestant",
            "workers",
            "predicted",
            "simulated",
            "measured",
            "cores used",
            "a second of processor",
            "in flight",
        ],
    );
    let mut rows = Vec::new();
    for case in cases {
        lab.doing(&format!("{}, {} in flight", case.name, case.places));
        let mut contestants = contestants.iter();
        let contestant = contestants.find(|one| one.name == case.name);
        let row = measure(lab, &mut origin, contestant.during(case.name)?, case)?;
        report.fact(
            format!("{}_{}_in_flight", case.name, case.places),
            row.in_flight,
        );
        table.row(row.cells());
        rows.push(row);
    }
    report.tables.push(table);
    report.plots.extend([here(&rows), on_ten_cores()]);
    report.note(
        "Without workers, *simulated* sends each next request at once. A thread that computes the \
         answers which have come sends the next requests when it is through with all of them.",
    );
    report.note(
        "The second picture is simulated: the article's machine, ten cores and 10,000 arrivals \
         a second. The rate follows the number of workers until about 1,010 of them; then the \
         cores are full.",
    );
    close(&mut report, &rows);
    Ok(report)
}

/// One line of the table.
struct Row {
    case: Case,
    simulated: f64,
    rate: Sample,
    cores: Sample,
    in_flight: usize,
}

impl Row {
    fn rate(&self) -> f64 {
        // Each row has a run at least.
        self.rate.median().unwrap_or_default()
    }

    /// What the rate would be if the process had the processor to itself: on a
    /// busy machine, one thread that computes gets less than a core.
    fn per_core(&self) -> Option<f64> {
        Some(self.rate.median()? / self.cores.median()?)
    }

    fn cells(&self) -> [Cell; 8] {
        let workers = match self.case.workers {
            Some(workers) => Cell::one(workers as f64, Unit::Count),
            None => Cell::text("none"),
        };
        [
            Cell::text(self.case.name),
            workers,
            Cell::Predicted(self.case.predicted, Unit::PerSecond),
            Cell::Predicted(self.simulated, Unit::PerSecond),
            Cell::sample(&self.rate, Unit::PerSecond),
            Cell::some(self.cores.median(), Unit::Count),
            Cell::some(self.per_core(), Unit::PerSecond),
            Cell::one(self.in_flight as f64, Unit::Count),
        ]
    }
}

fn measure(
    lab: &Lab,
    origin: &mut OriginProcess,
    contestant: &Contestant,
    case: Case,
) -> Outcome<Row> {
    let seconds = lab.seconds(SECONDS);
    let n = case.fetches(seconds);
    let (mut rate, mut cores) = (Sample::default(), Sample::default());
    let mut in_flight = 0;
    for _ in 0..lab.runs(1) {
        let job = Parameters::new()
            .with("job", "crowd")
            .with("origins", origin.urls())
            .with("path", format!("/delay/{}/16", WAIT_US / 1000))
            .with("n", n)
            .with("in-flight", case.places)
            .with("work-us", COMPUTE_US);
        let mut peer = contestant.start(&job)?;
        origin.wait_until_idle(Duration::from_secs(10))?;
        origin.reset()?;
        peer.go()?;
        // On a busy machine a crowd takes several times what is predicted.
        let results = peer.results(Duration::from_secs_f64(seconds * 10.0 + 120.0))?;
        all_ok(&results, n)?;
        let wall = results["wall_us"].as_f64().during("the time")?;
        rate.push(n as f64 / wall * 1e6);
        cores.push_some(results["cpu_us"].as_f64().map(|cpu| cpu / wall));
        in_flight = in_flight.max(origin.peak_in_flight()?);
    }
    Ok(Row {
        case,
        simulated: case.simulated(n),
        rate,
        cores,
        in_flight,
    })
}

fn close(report: &mut Report, rows: &[Row]) {
    let (pools, others): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.case.workers.is_some());
    let off = pools
        .iter()
        .map(|row| distance(row.rate(), row.case.predicted));
    let worst = off.fold(0.0, f64::max);
    let least = |rates: &mut dyn Iterator<Item = f64>| rates.fold(f64::INFINITY, f64::min);
    let slowest = least(&mut others.iter().map(|row| row.rate()));
    // Per second of processor, since that is what limits one thread: on a busy
    // machine it does not get a whole one.
    let alone = |row: &&Row| row.per_core().unwrap_or(row.rate());
    let slowest_alone = least(&mut others.iter().map(alone));
    let cap = cap(WORKERS[2]);
    let (capped, passes) = (worst < 0.15, slowest_alone > cap);
    let why = format!(
        "pools {} at w / 0.101 s with idle cores (at most {:.0} % off). One thread that does not \
         wait {} 20 workers' {cap:.0}/s: the slowest stage does {slowest_alone:.0} for each second \
         of processor it gets, {slowest:.0}/s here.",
        if capped { "end" } else { "do not end" },
        worst * 100.0,
        if passes { "passes" } else { "does not pass" },
    );
    report.close(capped && passes, why);
}
