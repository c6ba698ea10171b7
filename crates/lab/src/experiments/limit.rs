//! B19.1: 100,000 tasks over 50 connections still queue; a limit is not yet
//! back-pressure.
//!
//! **Prediction:** all three ways keep 50 in flight. A task for each, queueing at
//! a semaphore, keeps nearly all of them alive and their memory with them; a
//! bounded channel with 50 workers, and `buffer_unordered(50)`, keep about 50.
//!
//! **Measured:** by the origin, the peak in flight; in the process, how many
//! fetch futures were alive at once, and how much live heap there was at most
//! (looked at whenever a fetch begins; the list of URLs is not in it).
//!
//! **Disturbed by:** nothing: these are counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use fetch_core::{Options, Request};
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::sync::{Semaphore, mpsc};

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "limit",
    title: "many tasks over 50 permits: a limit is not yet back-pressure",
    claims: &["B10.2", "B19.1"],
    run,
    subject: Some(serve),
};

const PERMITS: usize = 50;
const WAYS: [(&str, &str); 3] = [
    ("semaphore", "a task each, and a semaphore"),
    ("channel", "50 workers, and a bounded channel"),
    ("buffered", "buffer_unordered(50)"),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let n = lab.n(100_000);
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(format!(
        "50 in flight each way; alive at once: nearly {n} with the semaphore, about 50 without."
    ));
    let mut table = Table::new(
        format!("{n} fetches over {PERMITS} permits"),
        &[
            "how",
            "in flight, at most",
            "futures alive, at most",
            "heap, at most",
            "time",
        ],
    );
    let mut bars = Vec::new();
    let mut alive = Vec::new();
    let mut bounded = true;
    for (name, what) in WAYS {
        lab.doing(what);
        let parameters = Parameters::new()
            .with("way", name)
            .with("n", n)
            .with("origins", origin.urls());
        let mut peer = subject(&EXPERIMENT, &parameters)?;
        origin.reset()?;
        peer.go()?;
        let results = peer.results(Duration::from_secs(180))?;
        let in_flight = origin.peak_in_flight()?;
        origin.wait_until_idle(Duration::from_secs(10))?;
        let number = |name: &str| results[name].as_f64().during(name);
        if number("ok")? != n as f64 {
            return Err(Failure::new(format!("{what}: not all fetches succeeded")));
        }
        bounded &= in_flight <= PERMITS;
        alive.push(number("alive")?);
        table.row([
            Cell::text(what),
            Cell::one(in_flight as f64, Unit::Count),
            Cell::one(number("alive")?, Unit::Count),
            Cell::one(number("heap")?, Unit::Bytes),
            Cell::one(number("wall_us")?, Unit::Microseconds),
        ]);
        report.fact(format!("{name}_in_flight"), in_flight);
        report.fact(format!("{name}_alive"), number("alive")?);
        report.fact(format!("{name}_heap"), number("heap")?);
        bars.push((what.to_owned(), vec![Some(number("heap")?)]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: format!("Heap at most, {n} fetches over {PERMITS} permits"),
        unit: Unit::Bytes,
        log: true,
        series: vec!["heap".to_owned()],
        bars,
    }));
    let slack = PERMITS as f64 + 1.0;
    let held = bounded && alive[0] > n as f64 * 0.5 && alive[1] <= slack && alive[2] <= slack;
    let why = format!(
        "all {} the origin at {PERMITS}; the semaphore has {:.0} futures alive meanwhile, the \
         others {:.0} and {:.0}.",
        if bounded { "keep" } else { "do not keep" },
        alive[0],
        alive[1],
        alive[2]
    );
    report.close(held, why);
    Ok(report)
}

/// How much there was at most.
#[derive(Default)]
struct Most {
    alive: AtomicUsize,
    alive_at_most: AtomicUsize,
    heap_at_most: AtomicUsize,
}

/// Counts a future for as long as it exists.
struct Alive(Arc<Most>);

impl Alive {
    fn new(most: &Arc<Most>) -> Self {
        let now = most.alive.fetch_add(1, Ordering::Relaxed) + 1;
        most.alive_at_most.fetch_max(now, Ordering::Relaxed);
        Alive(Arc::clone(most))
    }

    fn begins(&self) {
        self.0
            .heap_at_most
            .fetch_max(counting_alloc::live_bytes(), Ordering::Relaxed);
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    let origins = parameters.text("origins")?.split(',');
    let urls: Vec<String> = origins.map(|origin| format!("{origin}/bytes/16")).collect();
    let urls = Arc::new(urls);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let most = Arc::new(Most::default());
    let way = parameters.text("way")?;
    talk.ready();
    let before = counting_alloc::live_bytes();
    let began = Instant::now();
    // Makes the future of one fetch: it exists from this call on.
    let one = {
        let (most, urls) = (Arc::clone(&most), Arc::clone(&urls));
        move |number: usize| {
            let (alive, urls) = (Alive::new(&most), Arc::clone(&urls));
            async move {
                alive.begins();
                let Ok(request) = Request::get(&urls[number % urls.len()]) else {
                    return false;
                };
                stage5_async_await::fetch::fetch(number, &request, &Options::default())
                    .await
                    .is_ok()
            }
        }
    };
    let ok = runtime.block_on(async {
        match way {
            "semaphore" => semaphore(n, one).await,
            "channel" => channel(n, one).await,
            _ => {
                let fetches = stream::iter(0..n).map(one).buffer_unordered(PERMITS);
                fetches.filter(|ok| std::future::ready(*ok)).count().await
            }
        }
    });
    talk.results(&json!({
        "ok": ok,
        "alive": most.alive_at_most.load(Ordering::Relaxed),
        "heap": most.heap_at_most.load(Ordering::Relaxed).saturating_sub(before),
        "wall_us": began.elapsed().as_micros() as f64,
    }));
    Ok(())
}

/// A task for each fetch. It ends with its fetch, nobody cancels it, its handle
/// has its result; and their number is bounded by nothing but `n`, which is what
/// this shows.
async fn semaphore<F>(n: usize, one: impl Fn(usize) -> F) -> usize
where
    F: Future<Output = bool> + Send + 'static,
{
    let permits = Arc::new(Semaphore::new(PERMITS));
    let tasks: Vec<_> = (0..n)
        .map(|number| {
            let (fetch, permits) = (one(number), Arc::clone(&permits));
            tokio::spawn(async move {
                let _permit = permits.acquire().await;
                fetch.await
            })
        })
        .collect();
    let mut ok = 0;
    for task in tasks {
        ok += usize::from(task.await.unwrap_or(false));
    }
    ok
}

/// As many workers as permits: they end with the channel, nobody cancels them, and
/// their handles have how many of their fetches succeeded.
async fn channel<F>(n: usize, one: impl Fn(usize) -> F + Clone + Send + 'static) -> usize
where
    F: Future<Output = bool> + Send + 'static,
{
    let (submit, jobs) = mpsc::channel::<usize>(PERMITS);
    let jobs = Arc::new(tokio::sync::Mutex::new(jobs));
    let workers: Vec<_> = (0..PERMITS)
        .map(|_| {
            let (jobs, one) = (Arc::clone(&jobs), one.clone());
            tokio::spawn(async move {
                let mut ok = 0;
                loop {
                    let Some(number) = jobs.lock().await.recv().await else {
                        return ok;
                    };
                    ok += usize::from(one(number).await);
                }
            })
        })
        .collect();
    for number in 0..n {
        // Waits while the channel is full: this is back-pressure.
        if submit.send(number).await.is_err() {
            break;
        }
    }
    drop(submit);
    let mut ok = 0;
    for worker in workers {
        ok += worker.await.unwrap_or(0);
    }
    ok
}
