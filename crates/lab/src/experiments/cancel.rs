//! A7.7, B18.1: dropping a future cancels it, dropping a task's handle does not.
//!
//! **Prediction:** after 100 ms of an answer that takes 1 s, the client *drops*,
//! *detaches* or *aborts*. The origin has the request in any case: dropping does
//! not take back what was sent. It then sees the connection closed within
//! milliseconds, except after a detach, where the response is delivered to
//! nobody. On our own executor dropping the handle does cancel. A thread cannot
//! be dropped at all: letting go of its handle detaches it.
//!
//! **Measured:** by the origin's journal alone: when the connection was opened,
//! when the client left, whether the response was sent.
//!
//! **Disturbed by:** nothing that matters; it is a matter of yes or no.

use std::rc::Rc;
use std::time::Duration;

use fetch_core::{OnError, Options, Request};
use serde_json::json;
use stage1_blocking_threads::group::Group;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::{OriginProcess, Seen};
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "cancel",
    title: "drop, detach, abort, by the origin's journal",
    claims: &["A7.7", "B18.1", "B18.3"],
    run,
    subject: Some(serve),
};

const PATIENCE: Duration = Duration::from_millis(100);
const PATH: &str = "/delay/1000/16";

/// Name, what is done after 100 ms, and whether that ends the fetch.
const WAYS: [(&str, &str, bool); 6] = [
    ("thread-detach", "a thread's handle is dropped", false),
    ("own-drop", "stage 4: the future is dropped", true),
    ("own-handle", "stage 4: the task's handle is dropped", true),
    ("tokio-drop", "tokio: the future is dropped", true),
    ("tokio-detach", "tokio: the task's handle is dropped", false),
    ("tokio-abort", "tokio: the task is aborted", true),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict("Dropping and aborting close the connection; detaching lets the fetch run on.");
    let mut table = Table::new(
        "An answer that takes 1 s; after 100 ms:",
        &[
            "what is done",
            "request arrived",
            "client left after",
            "response",
            "ended",
            "predicted",
        ],
    );
    let mut as_predicted = true;
    for (name, what, ends) in WAYS {
        lab.doing(what);
        let seen = one(&mut origin, name)?;
        let ended_early = seen.response_done_us.is_none();
        let arrived = seen.target == PATH;
        as_predicted &= arrived && ended_early == ends;
        let left = seen.client_left_us.map(|left| left - seen.opened_us);
        table.row([
            Cell::text(what),
            Cell::text(if arrived { "yes" } else { "no" }),
            Cell::some(left, Unit::Microseconds),
            Cell::text(if ended_early {
                "never sent"
            } else {
                "sent in full"
            }),
            Cell::text(if ended_early { "early" } else { "by itself" }),
            Cell::text(if ends { "early" } else { "by itself" }),
        ]);
        report.fact(format!("{name}_ended_early"), ended_early);
        report.fact(format!("{name}_arrived"), arrived);
    }
    report.tables.push(table);
    report.note(
        "A detached fetch keeps its connection and its memory, and its result goes to nobody: \
         it needs an owner, or a deadline.",
    );
    let why = if as_predicted {
        "a dropped future stops, a task lives on until it is aborted; what was sent stays sent."
    } else {
        "see the rows where the last two columns differ, or no request arrived."
    };
    report.close(as_predicted, why);
    Ok(report)
}

/// What the origin saw of the one connection.
fn one(origin: &mut OriginProcess, way: &str) -> Outcome<Seen> {
    origin.reset()?;
    let url = format!("{}{PATH}", origin.url());
    let parameters = Parameters::new().with("way", way).with("url", url);
    subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(20))?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    let journal = origin.journal()?;
    journal
        .into_iter()
        .next()
        .during("a connection in the origin's journal")
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let request = Request::get(parameters.text("url")?)?;
    let way = parameters.text("way")?;
    talk.ready();
    match way {
        "thread-detach" => {
            // Nobody ends it, nobody has its result: that is what is shown. It
            // ends with its answer, and there is one of it.
            let thread = std::thread::spawn(move || {
                let group = Group::new(OnError::Finish);
                stage1_blocking_threads::fetch::fetch(0, &request, &Options::default(), &group)
            });
            std::thread::sleep(PATIENCE);
            drop(thread);
        }
        "own-drop" | "own-handle" => own(request, way == "own-handle")?,
        _ => return tokio_way(talk, request, way),
    }
    still_running(talk);
    Ok(())
}

/// On stage 4's executor.
fn own(request: Request, as_task: bool) -> Outcome<()> {
    let runtime = Runtime::new()?;
    let reactor = Rc::clone(runtime.reactor());
    let options = Rc::new(Options::default());
    let fetch =
        stage4_hand_rolled_future::by_compiler::fetch(0, request, options, Rc::clone(&reactor));
    let after = Sleep::until(&reactor, 1, std::time::Instant::now() + PATIENCE);
    let later = || Sleep::until(&reactor, 1, std::time::Instant::now() + 2 * PATIENCE);
    if as_task {
        // It ends when its handle is dropped, which is what is shown; so nobody has
        // its result, and there is one of it.
        let handle = runtime.spawn(fetch);
        runtime.block_on(after)?;
        drop(handle);
    } else {
        let timeout = std::time::Instant::now() + PATIENCE;
        let limited =
            stage4_hand_rolled_future::timeout::Timeout::at(&reactor, 0, timeout, Box::pin(fetch));
        // When the moment comes, it gives up its future, and so drops it.
        runtime.block_on(limited)?;
    }
    // The executor runs on: whatever was not cancelled would go on, too.
    runtime.block_on(later())?;
    Ok(())
}

fn tokio_way(talk: &Talk, request: Request, way: &str) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let fetch =
            async move { stage5_async_await::fetch::fetch(0, &request, &Options::default()).await };
        match way {
            "tokio-drop" => drop(tokio::time::timeout(PATIENCE, fetch).await),
            "tokio-detach" | "tokio-abort" => {
                // Its end, its owner, its result: see `WAYS`. There is one of it.
                let task = tokio::spawn(fetch);
                tokio::time::sleep(PATIENCE).await;
                if way == "tokio-abort" {
                    task.abort();
                }
                drop(task);
            }
            other => return Err(Failure::new(format!("no way is called {other:?}"))),
        }
        // The runtime runs on: what was not cancelled goes on, too.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        Ok(())
    })?;
    talk.results(&json!({}));
    Ok(())
}

/// Stays alive until a detached fetch must be over: a process's end would close
/// its connections, and look like cancelling.
fn still_running(talk: &Talk) {
    std::thread::sleep(Duration::from_millis(1500));
    talk.results(&json!({}));
}
