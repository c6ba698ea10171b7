//! A8.1, B15: the articles' five criteria, all stages, one run.
//!
//! 1. *Memory while waiting*: `n` fetches in flight.
//! 2. *Cost of resuming*: processor time, system calls and wake-ups of a fetch,
//!    and of one wait.
//! 3. *Composition*: the longer of two fetches decides.
//! 4. *Coupling to a runtime*: whose the sockets are, and who else must run.
//! 5. *Lifetimes*: after one failure, how soon the origin sees the other
//!    connection closed.
//!
//! **Prediction:** memory falls by orders of magnitude from threads to futures;
//! processor time per fetch with a connection of its own does not, since nearly
//! all of it is the kernel's (A0.1).
//!
//! **Measured:** as in `waiting-memory`, `together` and `cancel`, by their code.
//!
//! **Disturbed by:** for times, whatever else runs; contestants take turns, so
//! that it disturbs all of them, and ratios are what counts.

mod goals;
mod shown;

use std::time::Duration;

use crate::contestants::Contestant;
use crate::experiments::{Experiment, cpu_per_fetch, crowd, together};
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::origin::{FAILS_AFTER, OriginProcess};
use crate::measure::parameters::Parameters;
use crate::measure::sample::Sample;
use crate::measure::syscalls::Calls;
use crate::report::Report;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "scoreboard",
    title: "the five criteria, measured in one run",
    claims: &["A0.1", "A3.7", "A8.1", "B15", "B20"],
    run,
    subject: None,
};

/// Rounds of what takes long and differs little.
const COSTLY_ROUNDS: usize = 3;

/// All figures of one contestant.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) what: String,
    pub(super) in_flight: usize,
    pub(super) threads: Option<f64>,
    pub(super) heap: Option<f64>,
    pub(super) anonymous: Option<f64>,
    pub(super) cpu: Sample,
    pub(super) resume: Sample,
    pub(super) calls: Option<Calls>,
    pub(super) wake_ups: Option<f64>,
    pub(super) in_sequence: Sample,
    pub(super) together: Sample,
    /// From the failure of one fetch to the end of the other's connection.
    pub(super) cancelled: Sample,
}

fn run(lab: &Lab) -> Outcome<Report> {
    let n = lab.n(10_000);
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict("Memory falls from threads to futures; processor time per fetch stays.");
    let contestants = lab.contestants();
    let new = |contestant: &Contestant| Row {
        name: contestant.name.clone(),
        what: contestant.what.clone(),
        ..Row::default()
    };
    let mut rows: Vec<Row> = contestants.iter().map(new).collect();
    let fetches = (n / 2).clamp(200, 5000);
    for round in 0..lab.runs(3) {
        for (contestant, row) in contestants.iter().zip(&mut rows) {
            lab.doing(&format!(
                "processor time, round {}, {}",
                round + 1,
                row.name
            ));
            row.cpu
                .push_some(cpu_per_fetch::of_a_fetch(&mut origin, contestant, fetches)?);
            if round < COSTLY_ROUNDS {
                let drips = if n < 1000 { 20 } else { 101 };
                row.resume
                    .push_some(cpu_per_fetch::of_a_resume(&mut origin, contestant, drips)?);
                row.cancelled.push(cancelled_us(&mut origin, contestant)?);
            }
        }
    }
    let mut no_calls = None;
    for (contestant, row) in contestants.iter().zip(&mut rows) {
        lab.doing(&format!("memory and system calls, {}", row.name));
        let most = crowd::scaled_down(lab, contestant, n);
        let waiting = crowd::measure(&mut origin, contestant, most)?;
        row.in_flight = waiting.n;
        row.threads = waiting.system.threads;
        row.heap = waiting.heap_each();
        row.anonymous = waiting.anonymous_each();
        match cpu_per_fetch::system_calls(&mut origin, contestant, fetches.min(300))? {
            Ok(calls) => row.calls = Some(calls),
            Err(why) => no_calls = Some(why),
        }
        row.wake_ups = cpu_per_fetch::wake_ups(&mut origin, contestant, fetches.min(1000))?;
        let runs = lab.runs(3).min(3);
        (row.in_sequence, row.together) = together::times(&mut origin, contestant, runs)?;
    }
    report
        .tables
        .push(shown::table(&rows, no_calls.unwrap_or("not measured here")));
    report.tables.push(shown::coupling());
    report.tables.push(goals::table(&rows)?);
    report.plots.push(shown::picture(&rows));
    note(&mut report, &rows);
    for row in &rows {
        report.fact(format!("{}_in_flight", row.name), row.in_flight);
        report.fact(format!("{}_threads", row.name), row.threads);
        report.fact(format!("{}_heap_each", row.name), row.heap);
        report.fact(format!("{}_cpu_us", row.name), row.cpu.median());
        report.fact(format!("{}_wake_ups", row.name), row.wake_ups);
        let calls = row.calls.as_ref().map(Calls::total);
        report.fact(format!("{}_system_calls", row.name), calls);
    }
    close(&mut report, &rows);
    Ok(report)
}

/// How long after one fetch has failed the other's connection is closed, in µs.
fn cancelled_us(origin: &mut OriginProcess, contestant: &Contestant) -> Outcome<f64> {
    origin.reset()?;
    let job = Parameters::new()
        .with("job", "fail")
        .with("origins", origin.url())
        .with("in-flight", 2);
    contestant.start(&job)?.run(Duration::from_secs(30))?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    let journal = origin.journal()?;
    let of = |path: &str| journal.iter().find(|seen| seen.target == path).during(path);
    let failed = of("/case/fail")?.opened_us + FAILS_AFTER.as_micros() as f64;
    let left = of("/delay/10000/16")?
        .client_left_us
        .during("the client leaving")?;
    Ok((left - failed).max(0.0))
}

fn note(report: &mut Report, rows: &[Row]) {
    report.note(
        "Heap: by the counting allocator, less requests and room for results, which are the \
         caller's. Anonymous: all memory of the process not backed by a file, and what the \
         waiting fetches have added to it.",
    );
    report.note(
        "CPU per fetch: 100 in flight, a connection each, 16 bytes at once. CPU per wait: a \
         body that comes byte by byte against a body of one byte, for each byte more.",
    );
    for row in rows {
        if let Some(calls) = &row.calls {
            report.note(format!(
                "System calls of {}: {}.",
                row.name,
                calls.describe()
            ));
        }
    }
}

fn close(report: &mut Report, rows: &[Row]) {
    let of = |name: &str| rows.iter().find(|row| row.name == name);
    let figures = || {
        let (threads, pool) = (of("stage1")?, of("stage2")?);
        let (future, tokio) = (of("stage4-async")?, of("stage5-hand")?);
        let cpu = |row: &Row| Some(row.cpu.median()? / tokio.cpu.median()?);
        let memory = threads.anonymous? / future.anonymous?;
        Some((memory, cpu(threads)?, cpu(pool)?))
    };
    match figures() {
        None => report.leave_open("memory or processor time is not measured on this system."),
        Some((memory, thread, pool)) => report.close(
            memory > 2.0 && pool < memory && thread < memory,
            format!(
                "a waiting thread occupies {memory:.1} times what an async fn on our own \
                 executor does. Processor time per fetch is to differ less: it is {pool:.2} times \
                 tokio's on threads that are there, {thread:.2} times if each fetch starts its own."
            ),
        ),
    }
}
