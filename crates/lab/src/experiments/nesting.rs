//! A7.2, A7.3: nesting adds no task and no allocation, but re-entry is at the
//! root and descends.
//!
//! **Prediction:** the same fetch behind 1, 2 and 8 levels of `async fn` is one
//! task and makes as many heap allocations as with none; so does waiting itself.
//! Each wake polls from the outermost future down: with boxed levels (virtual
//! calls, which the compiler cannot fold into one) the price grows with depth.
//!
//! **Measured:** tokio's count of tasks and the allocator's count, for one fetch
//! each; and the time of one wake and poll at the end of 0, 8 and 64 levels.
//!
//! **Disturbed by:** for the times, other load: the quickest of several rounds
//! counts.

use std::future::{Future, poll_fn};
use std::hint::black_box;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use fetch_core::{Options, Request};
use serde_json::{Value, json};

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Axis, Lines, Mark, Plot, Series};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "nesting",
    title: "tasks and allocations of nested futures, and the price of descending",
    claims: &["A7.2", "A7.3", "B5.3"],
    run,
    subject: Some(serve),
};

const BOXED_LEVELS: [usize; 5] = [0, 1, 8, 32, 64];

fn run(lab: &Lab) -> Outcome<Report> {
    let polls = lab.n(200_000);
    let origin = OriginProcess::start()?;
    let mut report = Report::default();
    report
        .predict("One task and the same allocations at each depth; a wake costs more with depth.");
    let mut table = Table::new(
        "One fetch on tokio",
        &[
            "levels of async fn",
            "tasks alive beside the root",
            "heap allocations",
        ],
    );
    let mut counts = Vec::new();
    let parameters = Parameters::new().with("url", format!("{}/delay/20/16", origin.url()));
    let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(20))?;
    for run in results["fetches"].as_array().during("the fetches")? {
        let number = |name: &str| run[name].as_u64().during(name);
        counts.push((number("tasks")?, number("allocations")?));
        table.row([
            Cell::text(run["levels"].as_str().unwrap_or("")),
            Cell::one(number("tasks")? as f64, Unit::Count),
            Cell::one(number("allocations")? as f64, Unit::Count),
        ]);
    }
    report.fact(
        "counts",
        counts
            .iter()
            .map(|(t, a)| json!([t, a]))
            .collect::<Vec<Value>>(),
    );
    report.tables.push(table);

    let mut table = Table::new(
        "One wake: polled from the root down to a leaf that is Pending again",
        &["boxed levels", "time of one poll", "a level"],
    );
    let mut points = Vec::new();
    let mut flat = None;
    for levels in BOXED_LEVELS {
        lab.doing(&format!("{levels} boxed levels"));
        let sample = descend(levels, polls, lab.runs(5));
        let quickest = sample.min().during("a time")?;
        let flat = *flat.get_or_insert(quickest);
        let a_level = (levels > 0).then(|| (quickest - flat) / levels as f64);
        table.row([
            Cell::one(levels as f64, Unit::Count),
            Cell::sample(&sample, Unit::Microseconds),
            a_level.map_or_else(|| Cell::text(""), |us| Cell::one(us, Unit::Microseconds)),
        ]);
        points.push((levels as f64, quickest));
    }
    report.tables.push(table);
    let axis = |label: &str, unit| Axis {
        label: label.to_owned(),
        unit,
        log: false,
    };
    let deepest = points.last().map_or(0.0, |point| point.1);
    report.plots.push(Plot::Lines(Lines {
        title: "The price of one wake, by depth".to_owned(),
        x: axis("boxed levels", Unit::Count),
        y: axis("time of one poll", Unit::Microseconds),
        series: vec![Series {
            name: "quickest of the rounds".to_owned(),
            mark: Mark::Measured,
            points,
        }],
    }));
    let same = counts.windows(2).all(|pair| pair[0] == pair[1]);
    let adds = match same {
        true => "adds no task and no allocation",
        false => "adds tasks or allocations: see the first table",
    };
    let why = format!(
        "nesting {adds}; the call chain is not restored but walked again, which costs {} at 64 \
         boxed levels against {} at none.",
        Unit::Microseconds.show(deepest),
        Unit::Microseconds.show(flat.unwrap_or_default())
    );
    report.close(same && !counts.is_empty(), why);
    Ok(report)
}

/// Time of one poll through `levels` boxed futures, in µs, in several rounds.
fn descend(levels: usize, polls: usize, rounds: usize) -> Sample {
    let leaf: Boxed = Box::pin(poll_fn(|cx: &mut Context<'_>| {
        black_box(cx.waker());
        Poll::Pending
    }));
    let mut root = (0..levels).fold(leaf, |inner, _| Box::pin(level(inner)));
    let mut cx = Context::from_waker(Waker::noop());
    let round = |_| {
        let began = Instant::now();
        for _ in 0..polls {
            let _ = black_box(root.as_mut().poll(&mut cx));
        }
        began.elapsed().as_secs_f64() * 1e6 / polls as f64
    };
    (0..rounds).map(round).collect()
}

async fn level(inner: Boxed) {
    inner.await;
}

type Boxed = Pin<Box<dyn Future<Output = ()>>>;

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let request = Request::get(parameters.text("url")?)?;
    let options = Options::default();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    talk.ready();
    let counted = runtime.block_on(async {
        let mut counted = Vec::new();
        // The first one sets up what is set up once.
        fetch(&request, &options).await;
        counted.push(count("0", fetch(&request, &options)).await);
        counted.push(count("1", one(&request, &options)).await);
        counted.push(count("2", two(&request, &options)).await);
        counted.push(count("8", eight(&request, &options)).await);
        counted
    });
    if counted.iter().any(|one| one["ok"] != true) {
        return Err(Failure::new("a fetch failed"));
    }
    talk.results(&json!({ "fetches": counted }));
    Ok(())
}

/// Awaits a fetch, and counts tasks while it waits and allocations in all.
async fn count(levels: &str, fetch: impl Future<Output = bool>) -> Value {
    let mut fetch = pin!(fetch);
    let mut tasks = 0;
    let before = counting_alloc::allocations();
    let ok = poll_fn(|cx| {
        let poll = fetch.as_mut().poll(cx);
        tasks = tasks.max(
            tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks(),
        );
        poll
    });
    let ok = ok.await;
    let allocations = counting_alloc::allocations() - before;
    json!({ "levels": levels, "tasks": tasks, "allocations": allocations, "ok": ok })
}

async fn fetch(request: &Request, options: &Options) -> bool {
    stage5_async_await::fetch::fetch(0, request, options)
        .await
        .is_ok()
}

async fn one(request: &Request, options: &Options) -> bool {
    fetch(request, options).await
}

async fn two(request: &Request, options: &Options) -> bool {
    one(request, options).await
}

async fn four(request: &Request, options: &Options) -> bool {
    let levels = async || two(request, options).await;
    levels().await
}

async fn six(request: &Request, options: &Options) -> bool {
    let levels = async || four(request, options).await;
    levels().await
}

async fn eight(request: &Request, options: &Options) -> bool {
    let levels = async || six(request, options).await;
    levels().await
}
