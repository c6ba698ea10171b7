//! A3.5: creating a thread costs; a pool reuses it, and frees no slot by that.
//!
//! **Prediction:** starting and joining a thread takes some ten µs; handing a job
//! to a pool that is there, a few; a tokio task, less than one.
//!
//! **Measured:** jobs that do nothing, one after the other, each awaited, so that
//! it is the round trip that is timed; ratios to the thread.
//!
//! **Disturbed by:** other load: medians of interleaved rounds.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::json;
use stage2_thread_pool::pool::Pool;
use stage4_hand_rolled_future::runtime::Runtime;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "spawn",
    title: "starting a thread, a pool's job, a task",
    claims: &["A3.5"],
    run,
    subject: Some(serve),
};

const WAYS: [(&str, &str); 4] = [
    ("thread", "thread: spawn and join"),
    ("pool", "stage 2's pool: submit and hear back"),
    ("own", "stage 4's executor: spawn and await"),
    ("tokio", "tokio, current thread: spawn and await"),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let n = lab.n(5000);
    let mut report = Report::default();
    report.predict("A thread costs most, a pool's job less, a task least.");
    let mut samples = WAYS.map(|_| Sample::default());
    for _ in 0..lab.runs(5) {
        for ((name, what), sample) in WAYS.iter().zip(&mut samples) {
            lab.doing(what);
            let parameters = Parameters::new().with("way", name).with("n", n);
            let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(60))?;
            sample.push(results["each_us"].as_f64().during("the time")?);
            report.fact(format!("{name}_done"), results["done"].clone());
        }
    }
    let medians: Option<Vec<f64>> = samples.iter().map(Sample::median).collect();
    let medians = medians.during("times")?;
    let mut table = Table::new(
        "One job that does nothing",
        &["how", "time", "of a thread's"],
    );
    for ((_, what), (sample, median)) in WAYS.iter().zip(samples.iter().zip(&medians)) {
        table.row([
            Cell::text(*what),
            Cell::sample(sample, Unit::Microseconds),
            Cell::one(median / medians[0], Unit::Share),
        ]);
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "Starting something and hearing of its end".to_owned(),
        unit: Unit::Microseconds,
        log: true,
        series: vec!["time".to_owned()],
        bars: WAYS
            .iter()
            .zip(&medians)
            .map(|((name, _), us)| ((*name).to_owned(), vec![Some(*us)]))
            .collect(),
    }));
    report.note("A pool's worker that waits is as occupied as a thread of one's own: `pool-cap`.");
    let why = format!(
        "a job on the pool costs {:.0} % of a thread, a tokio task {:.1} %.",
        medians[1] / medians[0] * 100.0,
        medians[3] / medians[0] * 100.0
    );
    report.close(medians[1] < medians[0] && medians[3] < medians[1], why);
    Ok(report)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    let way = parameters.text("way")?;
    let one = NonZeroUsize::MIN;
    let pool = Pool::new(one, one)?;
    let tokio = tokio::runtime::Builder::new_current_thread().build()?;
    let own = Runtime::new()?;
    talk.ready();
    let began = Instant::now();
    let mut done = 0usize;
    match way {
        "thread" => {
            for _ in 0..n {
                let thread = std::thread::spawn(|| 1);
                done += thread
                    .join()
                    .map_err(|_| Failure::new("a thread panicked"))?;
            }
        }
        "pool" => {
            let (tell, told) = mpsc::channel();
            for _ in 0..n {
                let tell = tell.clone();
                pool.submit(move || tell.send(1).unwrap_or_default());
                done += told.recv().during("the job")?;
            }
        }
        "own" => {
            own.block_on(async {
                for _ in 0..n {
                    done += own.spawn(async { 1 }).await;
                }
            })?;
        }
        _ => tokio.block_on(async {
            for _ in 0..n {
                done += tokio::spawn(async { 1 }).await.unwrap_or(0);
            }
        }),
    }
    let each = began.elapsed().as_secs_f64() * 1e6 / n as f64;
    talk.results(&json!({ "each_us": each, "done": done }));
    Ok(())
}
