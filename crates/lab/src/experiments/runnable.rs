//! A3.6: many sleeping threads cost memory; many runnable ones cost scheduling.
//!
//! **Prediction:** beside 800 sleeping threads, a thread that sleeps for a
//! millisecond at a time is woken as promptly as alone, and hardly anything is
//! switched. Beside 800 that compute, threads are switched against their will,
//! and it has to queue for a core.
//!
//! **Measured:** the probe's lateness, and the process's context switches
//! (`getrusage`) per second.
//!
//! **Disturbed by:** other load makes all three rows later; the ratio remains.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

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
    name: "runnable",
    title: "800 threads that sleep against 800 that compute",
    claims: &["A3.6"],
    run,
    subject: Some(serve),
};

const NAP: Duration = Duration::from_millis(1);

fn run(lab: &Lab) -> Outcome<Report> {
    let threads = lab.n(800);
    let seconds = lab.seconds(1.0);
    let mut report = Report::default();
    report.predict("Sleeping threads disturb nobody; runnable ones are switched against their will, and the probe wakes late.");
    let mut table = Table::new(
        format!("A probe that sleeps 1 ms at a time, for {seconds} s"),
        &[
            "beside it",
            "late, median",
            "late, worst of a hundred",
            "switches: to wait",
            "switches: forced",
        ],
    );
    let mut bars = Vec::new();
    let mut forced = Vec::new();
    for (name, what, threads) in [
        ("alone", "nothing".to_owned(), 0),
        ("sleeping", format!("{threads} sleeping threads"), threads),
        ("runnable", format!("{threads} computing threads"), threads),
    ] {
        lab.doing(&what);
        let parameters = Parameters::new()
            .with("threads", threads)
            .with("compute", usize::from(name == "runnable"))
            .with("seconds", seconds);
        let peer = subject(&EXPERIMENT, &parameters)?;
        let results = peer.run(Duration::from_secs_f64(seconds * 20.0 + 60.0))?;
        let late = results["late_us"].as_array().during("the probe's times")?;
        let late: Sample = late.iter().filter_map(|us| us.as_f64()).collect();
        let a_second = |name: &str| results[name].as_f64();
        table.row([
            Cell::text(&what),
            Cell::some(late.median(), Unit::Microseconds),
            Cell::some(late.quantile(0.99), Unit::Microseconds),
            Cell::some(a_second("voluntary"), Unit::PerSecond),
            Cell::some(a_second("involuntary"), Unit::PerSecond),
        ]);
        report.fact(format!("{name}_threads"), results["threads"].clone());
        forced.push((a_second("involuntary"), late.quantile(0.99)));
        bars.push((what, vec![late.median(), late.quantile(0.99)]));
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "How late a 1 ms sleep ends".to_owned(),
        unit: Unit::Microseconds,
        log: true,
        series: vec!["median".to_owned(), "worst of a hundred".to_owned()],
        bars,
    }));
    match (forced[1], forced[2]) {
        ((Some(sleeping), Some(late)), (Some(runnable), Some(later))) => report.close(
            runnable > 2.0 * sleeping && later > late,
            format!(
                "{sleeping:.0} forced switches a second beside sleeping threads, {runnable:.0} \
                 beside runnable ones; the probe is then {} late instead of {} in the worst of \
                 a hundred cases.",
                Unit::Microseconds.show(later),
                Unit::Microseconds.show(late)
            ),
        ),
        _ => report.leave_open("context switches are not measured on this system."),
    }
    Ok(report)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let count: usize = parameters.number("threads")?;
    let compute = parameters.number::<usize>("compute")? > 0;
    let length = Duration::try_from_secs_f64(parameters.number("seconds")?).during("seconds")?;
    static OVER: AtomicBool = AtomicBool::new(false);
    talk.ready();
    let mut threads = Vec::new();
    for _ in 0..count {
        // They end when OVER is set, are joined below, and bring nothing.
        let thread = thread::Builder::new().stack_size(64 << 10).spawn(move || {
            while !OVER.load(Ordering::Relaxed) {
                if compute {
                    std::hint::spin_loop();
                } else {
                    thread::park();
                }
            }
        });
        threads.push(thread.during("starting a thread")?);
    }
    let before = Usage::now();
    let began = Instant::now();
    let mut late = Vec::new();
    while began.elapsed() < length {
        let slept = Instant::now();
        thread::sleep(NAP);
        late.push((slept.elapsed().saturating_sub(NAP)).as_nanos() as f64 / 1e3);
    }
    let seconds = began.elapsed().as_secs_f64();
    let used = before.and_then(|before| Some(Usage::now()?.since(&before)));
    OVER.store(true, Ordering::Relaxed);
    for thread in threads {
        thread.thread().unpark();
        thread
            .join()
            .map_err(|_| Failure::new("a thread panicked"))?;
    }
    talk.results(&json!({
        "threads": count,
        "late_us": late,
        "voluntary": used.map(|used| used.voluntary / seconds),
        "involuntary": used.map(|used| used.involuntary / seconds),
    }));
    Ok(())
}
