//! A3.5: creating a thread costs; a pool reuses it, and frees no slot by that.
//!
//! **Prediction:** in a crowd of a hundred jobs a thread each costs some ten µs,
//! a job for a pool that is there less than one, a task less still. One at a time a pool
//! gains little or nothing: its worker sleeps between two jobs and has to be
//! woken, and waking a thread on another core may take as long as making one.
//!
//! **Measured:** jobs that do nothing. *Alone*, each is awaited before the next is
//! started, so it is the round trip that is timed. *In a crowd*, a hundred are
//! started and then all awaited; time and processor time for each of them.
//!
//! **Disturbed by:** other load: medians of interleaved rounds.

use std::num::NonZeroUsize;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use stage2_thread_pool::pool::Pool;
use stage4_hand_rolled_future::runtime::Runtime;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::counters::Usage;
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

/// How many are started before the first is awaited, in a crowd.
const CROWD: usize = 100;

/// What was measured of one way.
#[derive(Default)]
struct Row {
    alone: Sample,
    together: Sample,
    cpu: Sample,
}

fn run(lab: &Lab) -> Outcome<Report> {
    let n = lab.n(5000);
    let mut report = Report::default();
    report.predict("In a crowd a thread costs most, a pool's job less, a task least.");
    let mut rows = WAYS.map(|_| Row::default());
    for _ in 0..lab.runs(5) {
        for ((name, what), row) in WAYS.iter().zip(&mut rows) {
            lab.doing(what);
            for (batch, time) in [(1, &mut row.alone), (CROWD, &mut row.together)] {
                let parameters = Parameters::new()
                    .with("way", name)
                    .with("n", n)
                    .with("batch", batch);
                let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(60))?;
                time.push(results["each_us"].as_f64().during("the time")?);
                if batch == CROWD {
                    row.cpu.push_some(results["cpu_us"].as_f64());
                }
                report.fact(format!("{name}_{batch}_done"), results["done"].clone());
            }
        }
    }
    let mut table = Table::new(
        "One job that does nothing",
        &[
            "how",
            "alone",
            "in a crowd",
            "processor, in a crowd",
            "of a thread's time, in a crowd",
        ],
    );
    let mut together = Vec::new();
    for row in &rows {
        together.push(row.together.median().during("the time in a crowd")?);
    }
    for (((_, what), row), median) in WAYS.iter().zip(&rows).zip(&together) {
        table.row([
            Cell::text(*what),
            Cell::sample(&row.alone, Unit::Microseconds),
            Cell::sample(&row.together, Unit::Microseconds),
            Cell::some(row.cpu.median(), Unit::Microseconds),
            Cell::one(median / together[0], Unit::Share),
        ]);
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "Starting something and hearing of its end".to_owned(),
        unit: Unit::Microseconds,
        log: true,
        series: vec!["alone".to_owned(), "in a crowd".to_owned()],
        bars: WAYS
            .iter()
            .zip(&rows)
            .map(|((name, _), row)| {
                (
                    (*name).to_owned(),
                    vec![row.alone.median(), row.together.median()],
                )
            })
            .collect(),
    }));
    report.note(
        "Alone, it is mostly the waking of a sleeping thread that is timed, the worker's as well as \
         the new thread's: `switch`.",
    );
    report.note("A pool's worker that waits is as occupied as a thread of one's own: `pool-cap`.");
    let (thread, pool) = (together[0], together[1]);
    let (own, tokio) = (together[2], together[3]);
    let part = |time: f64| time / thread * 100.0;
    let why = format!(
        "in a crowd a job on the pool costs {:.1} % of a thread, a task on our own executor \
         {:.1} %, on tokio {:.1} %.",
        part(pool),
        part(own),
        part(tokio)
    );
    report.close(pool < thread && own.max(tokio) < pool, why);
    Ok(report)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    let batch: usize = parameters.number("batch")?;
    let way = parameters.text("way")?;
    let room = NonZeroUsize::new(batch).during("a batch")?;
    let pool = Pool::new(NonZeroUsize::MIN, room)?;
    let tokio = tokio::runtime::Builder::new_current_thread().build()?;
    let own = Runtime::new()?;
    let rounds = n.div_ceil(batch);
    talk.ready();
    let (began, before) = (Instant::now(), Usage::now());
    let done = match way {
        "thread" => threads(rounds, batch)?,
        "pool" => jobs(&pool, rounds, batch)?,
        "own" => own.block_on(own_tasks(&own, rounds, batch))?,
        _ => tokio.block_on(tokio_tasks(rounds, batch)),
    };
    let each = |us: f64| us / (rounds * batch) as f64;
    let time = began.elapsed().as_secs_f64() * 1e6;
    let used = before.and_then(|before| Some(Usage::now()?.since(&before).cpu_us));
    talk.results(&json!({ "each_us": each(time), "cpu_us": used.map(each), "done": done }));
    Ok(())
}

// In all four, what is started ends by itself and at once; nobody cancels it; its
// result is awaited below it; and there are no more of it at a time than `batch`.

fn threads(rounds: usize, batch: usize) -> Outcome<usize> {
    let mut done = 0;
    for _ in 0..rounds {
        let threads: Vec<_> = (0..batch).map(|_| thread::spawn(|| 1)).collect();
        for thread in threads {
            let panicked = |_| Failure::new("a thread panicked");
            done += thread.join().map_err(panicked)?;
        }
    }
    Ok(done)
}

fn jobs(pool: &Pool, rounds: usize, batch: usize) -> Outcome<usize> {
    let (tell, told) = mpsc::channel();
    let mut done = 0;
    for _ in 0..rounds {
        for _ in 0..batch {
            let tell = tell.clone();
            pool.submit(move || tell.send(1).unwrap_or_default());
        }
        for _ in 0..batch {
            done += told.recv().during("the job")?;
        }
    }
    Ok(done)
}

async fn own_tasks(own: &Runtime, rounds: usize, batch: usize) -> usize {
    let mut done = 0;
    for _ in 0..rounds {
        let tasks: Vec<_> = (0..batch).map(|_| own.spawn(async { 1 })).collect();
        for task in tasks {
            done += task.await;
        }
    }
    done
}

async fn tokio_tasks(rounds: usize, batch: usize) -> usize {
    let mut done = 0;
    for _ in 0..rounds {
        let tasks: Vec<_> = (0..batch).map(|_| tokio::spawn(async { 1 })).collect();
        for task in tasks {
            done += task.await.unwrap_or(0);
        }
    }
    done
}
