//! A7.1, B3, B16: calling an `async fn` only builds a value.
//!
//! **Prediction:** a future that is made, and polled 200 ms later, is seen by the
//! origin 200 ms after it was made. A task, or a thread, is seen at once: it is
//! `spawn` that starts, not the call. (Stage 4's task is polled when its executor
//! next runs.)
//!
//! **Measured:** the origin's clock at the opening of the connection, less the
//! client's before it made the future; one machine, one clock.
//!
//! **Disturbed by:** nothing near 200 ms.

use std::rc::Rc;
use std::time::Duration;

use fetch_core::{OnError, Options, Request};
use serde_json::json;
use stage1_blocking_threads::group::Group;
use stage4_hand_rolled_future::runtime::Runtime;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::origin::{OriginProcess, now_us};
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "lazy",
    title: "from making a future to the origin seeing a connection",
    claims: &["A7.1", "B3", "B16"],
    run,
    subject: Some(serve),
};

/// Between making and polling or awaiting.
const LATER: Duration = Duration::from_millis(200);

/// Name, what is done, and whether the connection comes only `LATER`.
const WAYS: [(&str, &str, bool); 6] = [
    ("own-enum", "stage 4: fetch made, then polled", true),
    ("own-async", "stage 4: async fn called, then polled", true),
    (
        "tokio-async",
        "stage 5: async fn called, then awaited",
        true,
    ),
    ("reqwest", "reqwest: async fn called, then awaited", true),
    ("tokio-spawn", "tokio: spawned, then awaited", false),
    ("thread", "a thread spawned, then joined", false),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict("A future: 200 ms, which is when it is polled. Spawned: at once.");
    let mut table = Table::new(
        "Made at 0 ms, awaited at 200 ms; the origin sees a connection after:",
        &["how", "connection after", "started by", "predicted"],
    );
    let (mut as_predicted, mut bars) = (true, Vec::new());
    for (name, what, waits) in WAYS {
        lab.doing(what);
        let mut after = Sample::default();
        for _ in 0..lab.runs(3) {
            after.push(one(&mut origin, name)?);
        }
        let median = after.median().during("a time")?;
        let waited = median >= LATER.as_micros() as f64;
        as_predicted &= waited == waits;
        let by = |waits| if waits { "the first poll" } else { "spawn" };
        table.row([
            Cell::text(what),
            Cell::sample(&after, Unit::Microseconds),
            Cell::text(by(waited)),
            Cell::text(by(waits)),
        ]);
        report.fact(format!("{name}_waited"), waited);
        bars.push((name.to_owned(), vec![Some(median)]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "From making it to a connection; awaited at 200 ms".to_owned(),
        unit: Unit::Microseconds,
        log: false,
        series: vec!["time".to_owned()],
        bars,
    }));
    let why = if as_predicted {
        "a future is inert until it is polled; spawning is what starts."
    } else {
        "see the rows where the last two columns differ."
    };
    report.close(as_predicted, why);
    Ok(report)
}

fn one(origin: &mut OriginProcess, way: &str) -> Outcome<f64> {
    origin.reset()?;
    let url = format!("{}/bytes/16", origin.url());
    let parameters = Parameters::new().with("way", way).with("url", url);
    let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(20))?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    let opened = origin.journal()?.first().during("a connection")?.opened_us;
    Ok(opened - results["made_us"].as_f64().during("the moment")?)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let request = Request::get(parameters.text("url")?)?;
    let way = parameters.text("way")?.to_owned();
    let options = Options::default();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    // reqwest's client is set up once, and is no future.
    let client = stage5_async_await::with_reqwest::client(&options)?;
    talk.ready();
    let made = now_us();
    let result = match way.as_str() {
        "own-enum" | "own-async" => own(request, way == "own-enum")?,
        "tokio-async" => {
            let fetch = stage5_async_await::fetch::fetch(0, &request, &options);
            std::thread::sleep(LATER);
            runtime.block_on(fetch)
        }
        "reqwest" => {
            let fetch = stage5_async_await::with_reqwest::fetch(&client, 0, &request, &options);
            std::thread::sleep(LATER);
            runtime.block_on(fetch)
        }
        "tokio-spawn" => {
            // It ends with its fetch; it is awaited below; there is one of it.
            let task = runtime.spawn(async move {
                stage5_async_await::fetch::fetch(0, &request, &Options::default()).await
            });
            std::thread::sleep(LATER);
            runtime.block_on(task).during("the task")?
        }
        "thread" => {
            // It ends with its fetch; it is joined below; there is one of it.
            let thread = std::thread::spawn(move || {
                let group = Group::new(OnError::Finish);
                stage1_blocking_threads::fetch::fetch(0, &request, &options, &group)
            });
            std::thread::sleep(LATER);
            thread
                .join()
                .map_err(|_| Failure::new("the thread panicked"))?
        }
        other => return Err(Failure::new(format!("no way is called {other:?}"))),
    };
    result?;
    talk.results(&json!({ "made_us": made }));
    Ok(())
}

fn own(
    request: Request,
    by_hand: bool,
) -> Outcome<Result<fetch_core::Response, fetch_core::FetchError>> {
    use stage4_hand_rolled_future::{by_compiler, by_hand as hand};
    let runtime = Runtime::new()?;
    let (options, reactor) = (Rc::new(Options::default()), Rc::clone(runtime.reactor()));
    Ok(if by_hand {
        let fetch = hand::fetch(0, request, options, reactor);
        std::thread::sleep(LATER);
        runtime.block_on(fetch)?
    } else {
        let fetch = by_compiler::fetch(0, request, options, reactor);
        std::thread::sleep(LATER);
        runtime.block_on(fetch)?
    })
}
