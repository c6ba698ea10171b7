//! A5.2, B4.2: after a wait, a task may continue on another thread.
//!
//! **Prediction:** a fetch on a thread of its own never changes it, nor does one on
//! an executor that has one thread. On tokio's multi-thread runtime some do: whichever
//! worker is free takes the task. That is why `spawn` asks for `Send`.
//!
//! **Measured:** each fetch notes its thread before and after, and both are compared.
//!
//! **Disturbed by:** how busy the workers are decides how many move; whether any *may*
//! does not depend on it.

use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Duration;

use fetch_core::{FetchError, OnError, Options, Request};
use serde_json::json;
use stage1_blocking_threads::group::Group;
use stage4_hand_rolled_future::{by_compiler, runtime::Runtime};
use tokio::runtime::Builder;

use crate::experiments::{Experiment, crowd, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "moves",
    title: "on which thread a fetch goes on after its wait",
    claims: &["A5.2", "B4.2"],
    run,
    subject: Some(serve),
};

/// Name, what it is, and whether a fetch may change its thread.
const WAYS: [(&str, &str, bool); 4] = [
    ("thread", "a thread a fetch", false),
    ("own", "stage 4's executor", false),
    ("tokio", "tokio, current thread", false),
    ("tokio-multi", "tokio, multi-thread, 2 workers", true),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let n = crowd::for_every_stage(lab, lab.n(200));
    let origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict("Only where several threads share the tasks does one change its thread.");
    let mut table = Table::new(
        format!("{n} fetches of 20 ms: begun on one thread, finished on another"),
        &["how", "moved", "may move"],
    );
    let mut as_predicted = true;
    for (way, what, may_move) in WAYS {
        lab.doing(what);
        let mut share = Sample::default();
        for _ in 0..lab.runs(5) {
            let parameters = Parameters::new()
                .with("way", way)
                .with("n", n)
                .with("url", format!("{}/delay/20/16", origin.url()));
            let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(30))?;
            let moved = results["moved"].as_f64().during("how many moved")?;
            share.push(moved / n as f64);
            report.fact(format!("{way}_moved"), moved);
            report.fact(format!("{way}_done"), results["done"].clone());
        }
        let most = share.max().during("a share")?;
        as_predicted &= (most > 0.0) == may_move;
        table.row([
            Cell::text(what),
            Cell::sample(&share, Unit::Share),
            Cell::text(if may_move { "yes" } else { "no" }),
        ]);
    }
    report.tables.push(table);
    let why = if as_predicted {
        "a task belongs to no thread where several take tasks from each other."
    } else {
        "see the rows in which the last two columns do not agree."
    };
    report.close(as_predicted, why);
    Ok(report)
}

/// The threads before and after a fetch.
type Threads = Result<(ThreadId, ThreadId), FetchError>;

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    let request = Request::get(parameters.text("url")?)?;
    talk.ready();
    let threads: Vec<Threads> = match parameters.text("way")? {
        "thread" => on_threads(&request, n)?,
        "own" => on_own_executor(&request, n)?,
        "tokio" => on_tokio(Builder::new_current_thread(), request, n)?,
        _ => {
            let mut builder = Builder::new_multi_thread();
            builder.worker_threads(2);
            on_tokio(builder, request, n)?
        }
    };
    let threads = threads.into_iter().collect::<Result<Vec<_>, _>>()?;
    let moved = threads.iter().filter(|(before, after)| before != after);
    talk.results(&json!({ "moved": moved.count(), "done": threads.len() }));
    Ok(())
}

fn here() -> ThreadId {
    thread::current().id()
}

fn on_threads(request: &Request, n: usize) -> Outcome<Vec<Threads>> {
    let group = Group::new(OnError::Finish);
    let options = Options::default();
    let fetch = |id| {
        let before = here();
        stage1_blocking_threads::fetch::fetch(id, request, &options, &group)?;
        Ok((before, here()))
    };
    thread::scope(|scope| {
        // Each ends with its fetch; nobody cancels it; it is joined below; there are
        // `n` of them.
        let threads: Vec<_> = (0..n).map(|id| scope.spawn(move || fetch(id))).collect();
        let panicked = |_| Failure::new("a thread panicked");
        let joined = threads
            .into_iter()
            .map(|thread| thread.join().map_err(panicked));
        joined.collect()
    })
}

fn on_own_executor(request: &Request, n: usize) -> Outcome<Vec<Threads>> {
    let runtime = Runtime::new()?;
    let options = Rc::new(Options::default());
    Ok(runtime.block_on(async {
        // Each ends with its fetch; its handle cancels it if we leave early; it is
        // awaited below; there are `n` of them.
        let tasks = (0..n).map(|id| {
            let reactor = Rc::clone(runtime.reactor());
            let fetch = by_compiler::fetch(id, request.clone(), Rc::clone(&options), reactor);
            runtime.spawn(async move {
                let before = here();
                fetch.await?;
                Ok((before, here()))
            })
        });
        let mut threads = Vec::new();
        // All of them are tasks before the first is awaited.
        for task in tasks.collect::<Vec<_>>() {
            threads.push(task.await);
        }
        threads
    })?)
}

fn on_tokio(mut builder: Builder, request: Request, n: usize) -> Outcome<Vec<Threads>> {
    let runtime = builder.enable_all().build()?;
    let shared = Arc::new((request, Options::default()));
    runtime.block_on(async {
        // Each ends with its fetch; the runtime's end cancels it if we leave early;
        // it is awaited below; there are `n` of them.
        let tasks = (0..n).map(|id| {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move {
                let before = here();
                stage5_async_await::fetch::fetch(id, &shared.0, &shared.1).await?;
                Ok((before, here()))
            })
        });
        let mut threads = Vec::new();
        for task in tasks.collect::<Vec<_>>() {
            threads.push(task.await.during("a task")?);
        }
        Ok(threads)
    })
}
