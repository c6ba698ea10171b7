//! The experiments, and how one or all of them are run.
//!
//! Each is a file of its own: which claim it tests, what is predicted, how it is
//! measured, what can disturb it. Some have a *subject*: what they measure
//! besides stages, in a process of its own (`lab subject NAME …`), written in
//! the same file.

mod cancel;
mod ceiling;
mod cpu_bound;
mod cpu_per_fetch;
mod crowd;
mod debugger;
mod edge;
mod in_flight;
mod lazy;
mod limit;
mod moves;
mod nesting;
mod pool_cap;
mod runnable;
mod scoreboard;
mod sizes;
mod small_stacks;
mod spawn;
mod stall;
mod switch;
mod together;
mod waiting_memory;

use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::failure::{During, Failure, Outcome};
use crate::lab::{Lab, Settings};
use crate::measure::host;
use crate::measure::parameters::Parameters;
use crate::measure::peer::{Peer, myself};
use crate::measure::protocol::Talk;
use crate::report::{Report, html};

/// One experiment.
#[derive(Debug)]
pub(crate) struct Experiment {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Ids in the list of claims.
    pub(crate) claims: &'static [&'static str],
    run: fn(&Lab) -> Outcome<Report>,
    subject: Option<fn(&Talk, &Parameters) -> Outcome<()>>,
}

const ALL: [&Experiment; 20] = [
    &scoreboard::EXPERIMENT,
    &waiting_memory::EXPERIMENT,
    &together::EXPERIMENT,
    &pool_cap::EXPERIMENT,
    &stall::EXPERIMENT,
    &cancel::EXPERIMENT,
    &limit::EXPERIMENT,
    &sizes::EXPERIMENT,
    &nesting::EXPERIMENT,
    &debugger::EXPERIMENT,
    &moves::EXPERIMENT,
    &lazy::EXPERIMENT,
    &in_flight::EXPERIMENT,
    &spawn::EXPERIMENT,
    &runnable::EXPERIMENT,
    &small_stacks::EXPERIMENT,
    &edge::EXPERIMENT,
    &switch::EXPERIMENT,
    &cpu_bound::EXPERIMENT,
    &ceiling::EXPERIMENT,
];

/// `lab list`.
pub(crate) fn list() -> String {
    let row = |experiment: &&Experiment| {
        let (name, claims) = (experiment.name, experiment.claims.join(", "));
        (name.to_owned(), claims, experiment.title)
    };
    let head = (
        "experiment".to_owned(),
        "claims".to_owned(),
        "what it shows",
    );
    let rows: Vec<_> = [head].into_iter().chain(ALL.iter().map(row)).collect();
    let widest = |lengths: &mut dyn Iterator<Item = usize>| lengths.max().unwrap_or(0);
    let names = widest(&mut rows.iter().map(|row| row.0.len()));
    let claims = widest(&mut rows.iter().map(|row| row.1.len()));
    let line = |row: &(String, String, &str)| {
        format!("{:<names$}  {:<claims$}  {}\n", row.0, row.1, row.2)
    };
    rows.iter().map(line).collect()
}

/// `lab EXPERIMENT`.
pub(crate) fn run_one(experiment: &Experiment, settings: Settings) -> Outcome<()> {
    let (as_json, svg) = (settings.json, settings.svg.clone());
    if let Some(directory) = &svg {
        make(directory)?;
    }
    let report = run(experiment, settings)?;
    if as_json {
        let mut json = report.json();
        json["experiment"] = json!(experiment.name);
        json["host"] = host::describe();
        crate::print(&format!("{json}\n"))?;
    } else {
        crate::print(&headed(experiment, &report))?;
    }
    match svg {
        Some(directory) => write_plots(experiment, &report, &directory),
        None => Ok(()),
    }
}

/// `lab all`. An experiment that fails is told of, and the others go on.
pub(crate) fn run_all(settings: Settings) -> Outcome<()> {
    let began = Instant::now();
    let out = settings.out.clone();
    make(&out)?;
    let (mut reports, mut failed) = (Vec::new(), Vec::new());
    for experiment in ALL {
        let report = run(experiment, settings.clone()).unwrap_or_else(|failure| {
            failed.push(experiment.name);
            let mut report = Report::default();
            report.leave_open(failure.to_string());
            report
        });
        crate::print(&headed(experiment, &report))?;
        write_plots(experiment, &report, &out)?;
        reports.push((experiment, report));
    }
    let took = format!("{:.0} s", began.elapsed().as_secs_f64());
    let host = host::describe();
    let by_name = reports
        .iter()
        .map(|(experiment, report)| (experiment.name.to_owned(), report.json()));
    let results = json!({
        "host": host,
        "seconds": began.elapsed().as_secs_f64(),
        "experiments": by_name.collect::<Map<String, Value>>(),
    });
    write(&out.join("results.json"), &format!("{results:#}\n"))?;
    let page = out.join("report.html");
    write(&page, &html::page(&reports, &host, &took))?;
    crate::print(&format!("\nAll of it, in {took}: {}\n", page.display()))?;
    match failed[..] {
        [] => Ok(()),
        _ => Err(Failure::new(format!(
            "could not be measured: {}",
            failed.join(", ")
        ))),
    }
}

/// `lab subject NAME …`.
pub(crate) fn serve(name: &str, parameters: &Parameters) -> Outcome<()> {
    let subject = find(name)?.subject.during("a subject of that experiment")?;
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    subject(&Talk::start()?, parameters)
}

/// Starts an experiment's subject, and waits until it is ready.
fn subject(experiment: &Experiment, parameters: &Parameters) -> Outcome<Peer> {
    Peer::start(
        experiment.name,
        myself("subject", experiment.name, parameters)?,
    )
}

/// The experiment of that name.
pub(crate) fn find(name: &str) -> Outcome<&'static Experiment> {
    let found = ALL.into_iter().find(|experiment| experiment.name == name);
    let known = || ALL.map(|experiment| experiment.name).join(", ");
    found.ok_or_else(|| {
        Failure::new(format!(
            "no experiment is called {name:?}; there are {}",
            known()
        ))
    })
}

fn run(experiment: &Experiment, settings: Settings) -> Outcome<Report> {
    let lab = Lab::new(experiment.name, settings);
    let mut report = (experiment.run)(&lab)?;
    report.notes.splice(0..0, lab.warnings());
    if cfg!(debug_assertions) {
        report.note("Measured in a debug build: times and sizes on the stack say nothing.");
    }
    Ok(report)
}

fn headed(experiment: &Experiment, report: &Report) -> String {
    let head = format!("{}: {}", experiment.name, experiment.title);
    let line = "=".repeat(head.chars().count());
    let claims = experiment.claims.join(", ");
    format!("\n{head}\n{line}\nclaims {claims}\n{}", report.text())
}

fn write_plots(experiment: &Experiment, report: &Report, directory: &Path) -> Outcome<()> {
    for (number, plot) in report.plots.iter().enumerate() {
        let name = match number {
            0 => format!("{}.svg", experiment.name),
            _ => format!("{}-{}.svg", experiment.name, number + 1),
        };
        write(&directory.join(name), &plot.svg())?;
    }
    Ok(())
}

/// Before anything is measured, so that minutes are not lost to a wrong name.
pub(crate) fn make(directory: &Path) -> Outcome<()> {
    fs::create_dir_all(directory).during(&format!("making {}", directory.display()))
}

fn write(path: &Path, text: &str) -> Outcome<()> {
    fs::write(path, text).during(&format!("writing {}", path.display()))
}
