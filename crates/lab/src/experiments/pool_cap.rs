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

mod pictures;

use std::time::Duration;

use crate::contestants::{Contestant, all_ok};
use crate::experiments::Experiment;
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::host;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::sample::Sample;
use crate::measure::simulation::{Arrivals, Model};
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Mark, Series};
use crate::report::{Report, Table, distance};

use self::pictures::{on_ten_cores, plot, series};

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
    let seconds = lab.seconds(SECONDS);
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(
        "w workers: w / 0.101 s. One thread that does not wait, with p in flight: p / (p * 1 ms + \
         100 ms), never more than 1,000/s.",
    );
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
    let contestants = Contestant::stages();
    let named = |name: &str| contestants.iter().find(|one| one.name == name).during(name);
    let mut lines: Vec<Series> = vec![
        series("w / 0.101 s", Mark::Predicted),
        series("simulated", Mark::Simulated),
        series("stage2, measured", Mark::Measured),
    ];
    let mut worst: f64 = 0.0;
    for workers in WORKERS {
        lab.doing(&format!("{workers} workers"));
        let predicted = workers as f64 * 1e6 / (COMPUTE_US + WAIT_US) as f64;
        let n = (predicted * seconds / workers as f64).ceil() as usize * workers;
        let simulated = model(Some(workers), host::cores())
            .simulate(Arrivals::AtOnce(n))
            .rate;
        let crowd = Crowd { n, places: workers };
        let measured = measure(lab, &mut origin, named("stage2")?, &crowd)?;
        let rate = measured.rate.median().during("a rate")?;
        worst = worst.max(distance(rate, predicted));
        let rates = [predicted, simulated, rate];
        for (line, rate) in lines.iter_mut().zip(rates) {
            line.points.push((workers as f64, rate));
        }
        table.row(measured.row(
            "stage2",
            Cell::one(workers as f64, Unit::Count),
            predicted,
            simulated,
        ));
        report.fact(format!("stage2_{workers}_in_flight"), measured.in_flight);
    }
    let (mut slowest, mut slowest_alone) = (f64::INFINITY, f64::INFINITY);
    for (name, places) in WITHOUT_WORKERS
        .iter()
        .flat_map(|name| PLACES.map(|p| (*name, p)))
    {
        lab.doing(&format!("{name}, {places} in flight"));
        let in_rounds = places as f64 * 1e6 / (places as u64 * COMPUTE_US + WAIT_US) as f64;
        let n = ((in_rounds * seconds) as usize).max(2 * places);
        let simulated = model(Some(places), 1).simulate(Arrivals::AtOnce(n)).rate;
        let measured = measure(lab, &mut origin, named(name)?, &Crowd { n, places })?;
        let rate = measured.rate.median().during("a rate")?;
        slowest = slowest.min(rate);
        slowest_alone = slowest_alone.min(measured.per_core().unwrap_or(rate));
        if places == PLACES[1] {
            let ends = [WORKERS[0], WORKERS[WORKERS.len() - 1]];
            lines.push(Series {
                points: ends.map(|x| (x as f64, rate)).to_vec(),
                ..series(&format!("{name}, one thread"), Mark::Measured)
            });
        }
        table.row(measured.row(name, Cell::text("none"), in_rounds, simulated));
        report.fact(format!("{name}_{places}_in_flight"), measured.in_flight);
    }
    report.tables.push(table);
    report
        .plots
        .push(plot("Jobs a second, here", lines, "workers"));
    report.plots.push(on_ten_cores());
    let cap = WORKERS[2] as f64 * 1e6 / (COMPUTE_US + WAIT_US) as f64;
    report.note(
        "Without workers, *simulated* sends each next request at once. A thread that computes the \
         answers which have come sends the next requests when it is through with all of them.",
    );
    report.note(
        "The second picture is simulated: the article's machine, ten cores and 10,000 arrivals \
         a second. The rate follows the number of workers until about 1,010 of them; then the \
         cores are full.",
    );
    // Per second of processor, since that is what limits one thread: on a busy
    // machine it does not get a whole one.
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
    Ok(report)
}

struct Crowd {
    n: usize,
    places: usize,
}

struct Measured {
    rate: Sample,
    cores: Sample,
    in_flight: usize,
}

impl Measured {
    /// What the rate would be if the process had the processor to itself: on a
    /// busy machine, one thread that computes gets less than a core.
    fn per_core(&self) -> Option<f64> {
        Some(self.rate.median()? / self.cores.median()?)
    }

    fn row(&self, name: &str, workers: Cell, predicted: f64, simulated: f64) -> [Cell; 8] {
        [
            Cell::text(name),
            workers,
            Cell::Predicted(predicted, Unit::PerSecond),
            Cell::Predicted(simulated, Unit::PerSecond),
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
    crowd: &Crowd,
) -> Outcome<Measured> {
    let (mut rate, mut cores) = (Sample::default(), Sample::default());
    let mut in_flight = 0;
    for _ in 0..lab.runs(1) {
        let job = Parameters::new()
            .with("job", "crowd")
            .with("origins", origin.urls())
            .with("path", format!("/delay/{}/16", WAIT_US / 1000))
            .with("n", crowd.n)
            .with("in-flight", crowd.places)
            .with("work-us", COMPUTE_US);
        let mut peer = contestant.start(&job)?;
        origin.wait_until_idle(Duration::from_secs(10))?;
        origin.reset()?;
        peer.go()?;
        // On a busy machine a crowd takes several times what is predicted.
        let limit = Duration::from_secs_f64(lab.seconds(SECONDS) * 10.0 + 120.0);
        let results = peer.results(limit)?;
        all_ok(&results, crowd.n)?;
        let wall = results["wall_us"].as_f64().during("the time")?;
        rate.push(crowd.n as f64 / wall * 1e6);
        cores.push_some(results["cpu_us"].as_f64().map(|cpu| cpu / wall));
        in_flight = in_flight.max(origin.peak_in_flight()?);
    }
    Ok(Measured {
        rate,
        cores,
        in_flight,
    })
}

fn model(slots: Option<usize>, cores: usize) -> Model {
    Model {
        slots,
        cores,
        compute_us: COMPUTE_US,
        wait_us: WAIT_US,
    }
}
