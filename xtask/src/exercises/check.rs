//! `exercises check`: proves both directions of every exercise. Its start
//! compiles and fails on exactly the tests that are named, each for its reason;
//! its solution passes the same tests, clippy and rustfmt.

use std::iter;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{form, lint};
use crate::compile::{self, Build, Level};
use crate::ended::{Ended, Failure};
use crate::exercise::{Exercise, Reason};
use crate::mirror::{Mirror, Side};
use crate::screen::{self, Screen};
use crate::trial::{self, Trial, Verdict};
use crate::workspace::Workspace;

/// So many exercises with a test that hangs are run at once: they only wait.
const HANGING_AT_ONCE: usize = 8;

/// What was found of one exercise.
struct Report<'a> {
    exercise: &'a Exercise,
    faults: Vec<String>,
    start_time: Duration,
    solution_time: Duration,
}

/// Checks the exercises.
pub(super) fn run(
    workspace: &Workspace,
    exercises: &[&Exercise],
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let started = Instant::now();
    let said = |what: &str| {
        let seconds = started.elapsed().as_secs_f64();
        screen::progress(format_args!("{what} ({seconds:.1} s so far)"));
    };
    let mut reports = Vec::new();
    for exercise in exercises {
        reports.push(Report {
            exercise,
            faults: form::faults(workspace, exercise)?,
            start_time: Duration::ZERO,
            solution_time: Duration::ZERO,
        });
    }
    let mirror = Mirror::new(workspace)?;
    // All, since cargo reads all members, also of those it does not build.
    for exercise in &workspace.exercises {
        mirror.show(exercise, Side::Start)?;
    }
    said("building the starts");
    let build = build(&mirror, exercises)?;
    said("running the starts");
    try_starts(&mirror, &build, &mut reports)?;

    for exercise in exercises {
        mirror.show(exercise, Side::Solution)?;
    }
    said("building the solutions");
    let build = self::build(&mirror, exercises)?;
    said("running the solutions");
    for report in &mut reports {
        try_solution(&mirror, &build, report)?;
    }
    said("clippy and rustfmt of the solutions");
    let tidy = lint::are_tidy(&mirror, exercises)?;

    show(&reports, screen)?;
    let faulty = reports
        .iter()
        .filter(|report| !report.faults.is_empty())
        .count();
    let (all, seconds) = (reports.len(), started.elapsed().as_secs_f64());
    screen.line(format_args!(
        "{all} exercises, {faulty} with faults, in {seconds:.1} s"
    ))?;
    if !tidy {
        screen.line("clippy or rustfmt object to a solution; what they say stands above")?;
    }
    Ok(match faulty == 0 && tidy {
        true => Ended::Well,
        false => Ended::Unsolved,
    })
}

fn build(mirror: &Mirror, exercises: &[&Exercise]) -> Result<Build, Failure> {
    let packages = exercises.iter().flat_map(|e| ["--package", &e.package]);
    let tests: Vec<_> = iter::once("--tests").chain(packages).collect();
    compile::build_tests(&mirror.root, Some(&mirror.target), &tests, false)
}

/// Runs the starts: those in which a test is to hang side by side, the others
/// one after the other.
fn try_starts(mirror: &Mirror, build: &Build, reports: &mut [Report<'_>]) -> Result<(), Failure> {
    let hangs = |exercise: &Exercise| {
        exercise
            .start_fails
            .values()
            .any(|reason| *reason == Reason::TimesOut)
    };
    let (mut hanging, mut others): (Vec<_>, Vec<_>) = reports
        .iter_mut()
        .partition(|report| hangs(report.exercise));
    for report in &mut others {
        try_start(mirror, build, report)?;
    }
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let hanging: Vec<_> = hanging.iter_mut().map(Mutex::new).collect();
    thread::scope(|scope| {
        // They end when no exercise is left, the scope waits for them, `failures` has what
        // went wrong.
        for _ in 0..HANGING_AT_ONCE {
            scope.spawn(|| {
                while let Some(report) = hanging.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Each is taken once, so nobody waits here.
                    let mut report = report.lock().unwrap_or_else(|e| e.into_inner());
                    if let Err(failure) = try_start(mirror, build, &mut report) {
                        failures
                            .lock()
                            .unwrap_or_else(|e| e.into_inner())
                            .push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap_or_else(|e| e.into_inner());
    failures.into_iter().next().map_or(Ok(()), Err)
}

fn try_start(mirror: &Mirror, build: &Build, report: &mut Report<'_>) -> Result<(), Failure> {
    let exercise = report.exercise;
    let began = Instant::now();
    let Some(trials) = trials(mirror, build, report, "start")? else {
        return Ok(());
    };
    report.start_time = began.elapsed();
    for trial in &trials {
        let fault = match (exercise.start_fails.get(&trial.test), trial.verdict) {
            (None, Verdict::Passed) => continue,
            (None, _) => "fails, which is not declared",
            (Some(_), Verdict::Passed) => "passes, but is declared to fail",
            (Some(reason), _) if trial.failed_because(reason) => continue,
            (Some(_), _) => "fails for another reason than is declared",
        };
        report
            .faults
            .push(format!("start: {} {fault}\n{}", trial.test, trial.said));
    }
    for test in exercise.start_fails.keys() {
        if !trials.iter().any(|trial| trial.test == *test) {
            report
                .faults
                .push(format!("start: there is no test {test}"));
        }
    }
    if exercise.start_fails.is_empty() {
        report.faults.push("start: nothing fails".to_owned());
    }
    Ok(())
}

fn try_solution(mirror: &Mirror, build: &Build, report: &mut Report<'_>) -> Result<(), Failure> {
    let began = Instant::now();
    let trials = trials(mirror, build, report, "solution")?;
    report.solution_time = began.elapsed();
    for trial in trials.iter().flatten() {
        if trial.verdict != Verdict::Passed {
            let how = match trial.verdict {
                Verdict::TimedOut => "times out",
                _ => "fails",
            };
            report
                .faults
                .push(format!("solution: {} {how}\n{}", trial.test, trial.said));
        }
    }
    Ok(())
}

/// Runs an exercise's tests; `None` if they do not compile.
fn trials(
    mirror: &Mirror,
    build: &Build,
    report: &mut Report<'_>,
    side: &str,
) -> Result<Option<Vec<Trial>>, Failure> {
    let exercise = report.exercise;
    let own = build
        .messages
        .iter()
        .filter(|m| m.package == exercise.package);
    let errors: Vec<_> = own
        .filter(|m| m.level == Level::Error)
        .map(|m| &*m.text)
        .collect();
    if !errors.is_empty() {
        report
            .faults
            .push(format!("{side}: does not compile\n{}", errors.join("\n")));
        return Ok(None);
    }
    let trials = trial::run_all(exercise, &build.programs, &mirror.folder(exercise))?;
    let mut names: Vec<_> = trials.iter().map(|trial| &trial.test).collect();
    names.sort();
    if names.is_empty() {
        report.faults.push(format!("{side}: there are no tests"));
    }
    if names.windows(2).any(|two| two[0] == two[1]) {
        report
            .faults
            .push(format!("{side}: two tests have the same name"));
    }
    Ok(Some(trials))
}

fn show(reports: &[Report<'_>], screen: &mut Screen) -> Result<(), Failure> {
    screen.line("  start  solution")?;
    for report in reports {
        let word = match report.faults.is_empty() {
            true => screen.good("ok"),
            false => screen.bad("FAULTS"),
        };
        let seconds = (
            report.start_time.as_secs_f64(),
            report.solution_time.as_secs_f64(),
        );
        let name = &report.exercise.name;
        screen.line(format_args!(
            "{:5.1} s  {:6.1} s  {name}: {word}",
            seconds.0, seconds.1
        ))?;
        for fault in &report.faults {
            screen.indented(4, fault)?;
        }
    }
    Ok(())
}
