//! A3.9: a switch copies no stack; it still costs.
//!
//! **Prediction:** handing a number to and fro between two threads takes some µs
//! each way, since each time one falls asleep and the other is woken; between two
//! tasks on one thread it is a queue and a call, tens of times less. Between
//! two cores a thread is woken on the other one, which costs more, not less.
//!
//! **Measured:** pairs that hand over `n` times through channels: std's between
//! threads; tokio's between tasks, on our executor and on tokio's. On one core
//! and on two, by `sched_setaffinity`.
//!
//! **Disturbed by:** other load on the same cores: medians of interleaved runs.

use std::sync::mpsc as blocking;
use std::time::{Duration, Instant};

use serde_json::json;
use stage4_hand_rolled_future::runtime::Runtime;
use tokio::sync::mpsc;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::counters::Usage;
use crate::measure::host;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::sample::Sample;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "switch",
    title: "handing over between threads, own tasks and tokio tasks",
    claims: &["A3.9"],
    run,
    subject: Some(serve),
};

const WAYS: [(&str, &str); 4] = [
    ("threads", "two threads"),
    ("own", "two tasks, stage 4's executor"),
    ("tokio", "two tasks, tokio, current thread"),
    ("tokio-multi", "two tasks, tokio, multi-thread"),
];

fn run(lab: &Lab) -> Outcome<Report> {
    let n = lab.n(20_000);
    let mut report = Report::default();
    report.predict("Threads: µs a hand-over. Tasks on one thread: a tenth of a µs.");
    let choices: &[usize] = if can_choose_cores() && host::cores() > 1 {
        &[1, 2]
    } else {
        &[0]
    };
    let mut rows = Vec::new();
    for &cores in choices {
        rows.extend(
            WAYS.iter()
                .map(|way| (cores, way, Sample::default(), Sample::default())),
        );
    }
    for _ in 0..lab.runs(5) {
        for (cores, (name, what), time, switches) in &mut rows {
            lab.doing(what);
            let parameters = Parameters::new()
                .with("way", *name)
                .with("n", n)
                .with("cores", *cores);
            let results = subject(&EXPERIMENT, &parameters)?.run(Duration::from_secs(60))?;
            time.push(results["each_us"].as_f64().during("the time")?);
            switches.push_some(results["switches"].as_f64());
            report.fact(format!("{name}_{cores}_handed"), results["handed"].clone());
        }
    }
    let mut table = Table::new(
        format!("One hand-over, of {n}"),
        &["between", "cores", "time", "context switches"],
    );
    let mut bars = Vec::new();
    for (cores, (name, what), time, switches) in &rows {
        let on = match cores {
            0 => "not chosen".to_owned(),
            cores => cores.to_string(),
        };
        table.row([
            Cell::text(*what),
            Cell::text(&on),
            Cell::sample(time, Unit::Microseconds),
            Cell::some(switches.median(), Unit::Count),
        ]);
        bars.push((format!("{name}, cores: {on}"), vec![time.median()]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "Time of one hand-over".to_owned(),
        unit: Unit::Microseconds,
        log: true,
        series: vec!["time".to_owned()],
        bars,
    }));
    let first = |name: &str| {
        let found = rows.iter().find(|row| row.1.0 == name);
        found.and_then(|row| row.2.median()).during(name)
    };
    let (threads, own, tokio) = (first("threads")?, first("own")?, first("tokio")?);
    let why = format!(
        "between threads a hand-over takes {}, {:.0} times that between own tasks ({}) and {:.0} \
         times that between tokio's.",
        Unit::Microseconds.show(threads),
        threads / own,
        Unit::Microseconds.show(own),
        threads / tokio
    );
    // Far below the prediction: how busy the machine is shall not decide.
    report.close(threads > 3.0 * own && threads > 3.0 * tokio, why);
    Ok(report)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    choose_cores(parameters.number("cores")?)?;
    let way = parameters.text("way")?;
    let own = Runtime::new()?;
    let tokio = match way {
        "tokio-multi" => tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()?,
        _ => tokio::runtime::Builder::new_current_thread().build()?,
    };
    talk.ready();
    let before = Usage::now();
    let began = Instant::now();
    let handed = match way {
        "threads" => threads(n)?,
        "own" => own.block_on(async {
            let (there, back, echo) = pair();
            // As in `threads`: it ends when `there` is dropped.
            let echo = own.spawn(echo);
            let handed = hand_over(n, there, back).await;
            echo.await;
            handed
        })?,
        _ => tokio.block_on(async {
            let (there, back, echo) = pair();
            // Both ends are tasks: the thread in `block_on` is no worker. One ends
            // after `n`, the other with it; both are awaited.
            let echo = tokio::spawn(echo);
            let handed = tokio::spawn(hand_over(n, there, back)).await;
            let _ = echo.await;
            handed.during("the task")
        })?,
    };
    let each = began.elapsed().as_secs_f64() * 1e6 / handed.max(1) as f64;
    let used = before.and_then(|before| Some(Usage::now()?.since(&before)));
    let switches = used.map(|used| (used.voluntary + used.involuntary) / handed.max(1) as f64);
    talk.results(&json!({ "each_us": each, "handed": handed, "switches": switches }));
    Ok(())
}

/// To and fro between two threads: how many hand-overs.
fn threads(n: usize) -> Outcome<usize> {
    let (there, from) = blocking::channel::<usize>();
    let (to, back) = blocking::channel();
    // It ends when `there` is dropped, is joined below, and there is one.
    let echo = std::thread::spawn(move || from.iter().all(|number| to.send(number).is_ok()));
    let mut handed = 0;
    for number in 0..n.div_ceil(2) {
        there.send(number).during("the other thread")?;
        back.recv().during("the other thread")?;
        handed += 2;
    }
    drop(there);
    let _ = echo.join();
    Ok(handed)
}

type Sender = mpsc::UnboundedSender<usize>;
type Receiver = mpsc::UnboundedReceiver<usize>;

/// Two channels, and the task that sends back what it gets.
fn pair() -> (Sender, Receiver, impl Future<Output = ()> + Send) {
    let (there, mut from) = mpsc::unbounded_channel();
    let (to, back) = mpsc::unbounded_channel();
    let echo = async move {
        while let Some(number) = from.recv().await {
            if to.send(number).is_err() {
                break;
            }
        }
    };
    (there, back, echo)
}

async fn hand_over(n: usize, there: Sender, mut back: Receiver) -> usize {
    let mut handed = 0;
    for number in 0..n.div_ceil(2) {
        if there.send(number).is_err() || back.recv().await.is_none() {
            break;
        }
        handed += 2;
    }
    handed
}

#[cfg(target_os = "linux")]
fn can_choose_cores() -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
fn can_choose_cores() -> bool {
    false
}

/// Keeps this process to the first `cores` of those it may use; 0: to all.
#[cfg(target_os = "linux")]
fn choose_cores(cores: usize) -> Outcome<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
    use nix::unistd::Pid;

    if cores == 0 {
        return Ok(());
    }
    // 0 is the calling thread, and threads started later inherit from it.
    let allowed = sched_getaffinity(Pid::from_raw(0)).during("asking for the cores")?;
    let mut chosen = CpuSet::new();
    let usable = (0..CpuSet::count()).filter(|core| allowed.is_set(*core).unwrap_or(false));
    for core in usable.take(cores) {
        chosen.set(core).during("choosing a core")?;
    }
    sched_setaffinity(Pid::from_raw(0), &chosen).during("choosing cores")
}

#[cfg(not(target_os = "linux"))]
fn choose_cores(_: usize) -> Outcome<()> {
    Ok(())
}
