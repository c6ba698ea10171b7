//! A8.4, B1, B19.2: waiting overlaps on one thread; computing needs cores.
//!
//! **Prediction:** eight jobs of computing take eight times one on one thread,
//! however they are written; with threads or workers they are quicker by the
//! number of cores, and by no more. Eight jobs of waiting take as long as one,
//! on one thread.
//!
//! **Measured:** the same work everywhere, a fixed number of rounds; the time,
//! and the cores used meanwhile.
//!
//! **Disturbed by:** other load, which takes the cores away: then even threads
//! gain less than the number of cores. That they do not gain more is the claim.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stage4_hand_rolled_future::runtime::Runtime;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::counters::Usage;
use crate::measure::host;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::measure::work::Work;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cpu-bound",
    title: "computing gains nothing from tasks, waiting does",
    claims: &["A8.4", "B1", "B19.2"],
    run,
    subject: Some(serve),
};

const ONE: Duration = Duration::from_millis(30);

/// Name, what, and how many times as fast as one after the other it can be.
fn ways(jobs: usize) -> [(&'static str, &'static str, f64); 7] {
    let cores = host::cores().min(jobs) as f64;
    [
        ("sequence", "computing, one after the other", 1.0),
        ("threads", "computing, a thread each", cores),
        ("own", "computing, stage 4's tasks", 1.0),
        ("tokio", "computing, tokio's tasks, current thread", 1.0),
        ("tokio-multi", "computing, tokio's tasks, all cores", cores),
        ("sleep-threads", "waiting, a thread each", jobs as f64),
        (
            "sleep-tokio",
            "waiting, tokio's tasks, current thread",
            jobs as f64,
        ),
    ]
}

fn run(lab: &Lab) -> Outcome<Report> {
    let jobs = lab.n(8);
    let mut report = Report::default();
    report.predict(format!(
        "Computing: at most {} times as fast, the number of cores. Waiting: {jobs} times.",
        host::cores()
    ));
    let ways = ways(jobs);
    let mut samples = ways.map(|_| (Sample::default(), Sample::default()));
    for _ in 0..lab.runs(3) {
        for ((name, what, _), (time, cores)) in ways.iter().zip(&mut samples) {
            lab.doing(what);
            let parameters = Parameters::new().with("way", name).with("jobs", jobs);
            let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(120))?;
            let wall = results["wall_us"].as_f64().during("the time")?;
            time.push(wall);
            cores.push_some(results["cpu_us"].as_f64().map(|cpu| cpu / wall));
            report.fact(format!("{name}_done"), results["done"].clone());
        }
    }
    let alone = samples[0].0.median().during("a time")?;
    let one_wait = ONE.as_micros() as f64 * jobs as f64;
    let mut table = Table::new(
        format!("{jobs} jobs of {} ms", ONE.as_millis()),
        &[
            "how",
            "time",
            "cores used",
            "as fast as in sequence",
            "at best",
        ],
    );
    let (mut bars, mut as_predicted) = (Vec::new(), true);
    for ((name, what, best), (time, cores)) in ways.iter().zip(&samples) {
        let waits = name.starts_with("sleep");
        let median = time.median().during("a time")?;
        let gain = if waits { one_wait } else { alone } / median;
        // A quarter: the run in sequence may have been disturbed more than this one.
        as_predicted &= gain <= best * 1.25 && (!waits || gain > best * 0.5);
        table.row([
            Cell::text(*what),
            Cell::sample(time, Unit::Microseconds),
            Cell::some(cores.median(), Unit::Count),
            Cell::one(gain, Unit::Ratio),
            Cell::Predicted(*best, Unit::Ratio),
        ]);
        bars.push(((*name).to_owned(), vec![Some(gain), Some(*best)]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: format!("{jobs} jobs: how many times as fast as in sequence"),
        unit: Unit::Ratio,
        log: false,
        series: vec!["measured".to_owned(), "at best".to_owned()],
        bars,
    }));
    let why = if as_predicted {
        format!(
            "with {} cores, computing becomes at most that much faster and by tasks on one \
             thread not at all; waiting overlaps entirely on one thread.",
            host::cores()
        )
    } else {
        "see the rows where the last two columns differ.".to_owned()
    };
    report.close(as_predicted, why);
    Ok(report)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let jobs: usize = parameters.number("jobs")?;
    let way = parameters.text("way")?;
    let work = Work::of(ONE);
    let own = Runtime::new()?;
    let tokio = match way {
        "tokio-multi" => tokio::runtime::Builder::new_multi_thread()
            .worker_threads(host::cores())
            .build()?,
        _ => tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()?,
    };
    talk.ready();
    let before = Usage::now();
    let began = Instant::now();
    let compute = move || {
        work.run();
        1
    };
    let sleep = || {
        thread::sleep(ONE);
        1
    };
    let done: usize = match way {
        "sequence" => (0..jobs).map(|_| compute()).sum(),
        "threads" => on_threads(jobs, compute)?,
        "sleep-threads" => on_threads(jobs, sleep)?,
        "own" => own.block_on(async {
            // Each ends with its job and is awaited below; `jobs` bounds them.
            let tasks: Vec<_> = (0..jobs)
                .map(|_| own.spawn(async move { compute() }))
                .collect();
            let mut done = 0;
            for task in tasks {
                done += task.await;
            }
            done
        })?,
        _ => tokio.block_on(async {
            // As in `own`.
            let waits = way == "sleep-tokio";
            let task = |_| {
                tokio::spawn(async move {
                    if waits {
                        tokio::time::sleep(ONE).await;
                        1
                    } else {
                        compute()
                    }
                })
            };
            let tasks: Vec<_> = (0..jobs).map(task).collect();
            let mut done = 0;
            for task in tasks {
                done += task.await.unwrap_or(0);
            }
            done
        }),
    };
    let wall = began.elapsed();
    let used = before.and_then(|before| Some(Usage::now()?.since(&before)));
    talk.results(&json!({
        "done": done,
        "wall_us": wall.as_micros() as f64,
        "cpu_us": used.map(|used| used.cpu_us),
    }));
    Ok(())
}

/// A thread each: it ends with its job and is joined here; `jobs` bounds them.
fn on_threads(jobs: usize, job: impl Fn() -> usize + Send + Copy + 'static) -> Outcome<usize> {
    thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(job)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        let joined = joined.map(|one| one.map_err(|_| Failure::new("a job panicked")));
        joined.sum()
    })
}
