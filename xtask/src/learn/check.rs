//! `learn check`: builds and runs an exercise's tests, and says what to do.

use std::time::Instant;

use crate::compile::{self, Build, Level};
use crate::ended::{Ended, Failure};
use crate::exercise::Exercise;
use crate::progress::{Progress, Standing};
use crate::screen::{self, Screen};
use crate::trial::{self, Trial, Verdict};
use crate::workspace::Workspace;

/// Checks one exercise, and remembers whether it is solved.
pub(super) fn run(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let heading = format!(
        "{} {}: {}",
        exercise.number(),
        exercise.short_name(),
        exercise.title
    );
    let heading = screen.strong(&heading);
    screen.line(heading)?;
    if Progress::load(&workspace.root).standing(exercise)? == Standing::Untouched {
        let readme = workspace.shown(&exercise.folder().join("README.md"));
        screen.line(format_args!("Nothing is changed yet. Read {readme} first."))?;
    }
    screen::progress("building (the first time with all that it depends on) ...");
    let checked = Checked::new(workspace, exercise, screen)?;
    screen.line("")?;
    show_compiler(&checked.build, screen)?;
    for trial in &checked.trials {
        show_trial(exercise, trial, screen)?;
    }
    match checked.is_solved() {
        true => show_solved(workspace, exercise, screen)?,
        false => show_failure(workspace, exercise, &checked, screen)?,
    }
    Ok(checked.ended())
}

/// Checks every exercise, a line each.
pub(super) fn all(workspace: &Workspace, screen: &mut Screen) -> Result<Ended, Failure> {
    let started = Instant::now();
    let mut solved = 0;
    for exercise in &workspace.exercises {
        let began = Instant::now();
        let checked = Checked::new(workspace, exercise, screen)?;
        solved += usize::from(checked.is_solved());
        let word = match checked.is_solved() {
            true => screen.good("solved"),
            false if !checked.build.complete => screen.bad("does not compile"),
            false => screen.bad("not solved"),
        };
        let (name, seconds) = (&exercise.name, began.elapsed().as_secs_f64());
        screen.line(format_args!("{seconds:6.1} s  {name}: {word}"))?;
    }
    let (all, seconds) = (workspace.exercises.len(), started.elapsed().as_secs_f64());
    screen.line(format_args!("{seconds:6.1} s  {solved} of {all} solved"))?;
    Ok(if solved == all {
        Ended::Well
    } else {
        Ended::Unsolved
    })
}

/// What came of building and running an exercise's tests.
struct Checked {
    build: Build,
    trials: Vec<Trial>,
}

impl Checked {
    fn new(workspace: &Workspace, exercise: &Exercise, screen: &Screen) -> Result<Self, Failure> {
        // Before the build: what is saved from now on is not what is tested.
        let fingerprint = exercise.fingerprint()?;
        let packages = [exercise.package.as_str()];
        let build = compile::build_tests(&workspace.root, None, &packages, screen.colour())?;
        let trials = match build.complete {
            true => trial::run_all(exercise, &build.programs, &exercise.folder())?,
            false => Vec::new(),
        };
        let checked = Checked { build, trials };
        Progress::update(&workspace.root, |progress| {
            progress.checked(exercise, checked.is_solved(), fingerprint);
        })?;
        Ok(checked)
    }

    fn is_solved(&self) -> bool {
        let mut verdicts = self.trials.iter().map(|trial| trial.verdict);
        !self.trials.is_empty() && verdicts.all(|verdict| verdict == Verdict::Passed)
    }

    fn ended(&self) -> Ended {
        match self.is_solved() {
            true => Ended::Well,
            false => Ended::Unsolved,
        }
    }
}

/// Errors, and the warnings that mean something: an exercise that is not
/// finished has unused variables, which is no news.
fn show_compiler(build: &Build, screen: &mut Screen) -> Result<(), Failure> {
    let level = match build.complete {
        true => Level::Warning,
        false => Level::Error,
    };
    let messages = build
        .messages
        .iter()
        .filter(|message| message.level == level);
    for message in messages {
        screen.line(&message.text)?;
    }
    Ok(())
}

/// A test's name and verdict. What a test that passed has to say is an answer
/// to "predict"; how one has failed comes later, and only for the first.
fn show_trial(exercise: &Exercise, trial: &Trial, screen: &mut Screen) -> Result<(), Failure> {
    let test = &trial.test;
    match trial.verdict {
        Verdict::Passed => {
            let word = screen.good("ok  ");
            screen.line(format_args!("  {word}  {test}"))?;
            screen.indented(10, &trial.said)
        }
        Verdict::Failed => {
            let word = screen.bad("FAIL");
            screen.line(format_args!("  {word}  {test}"))
        }
        Verdict::TimedOut => {
            let (word, limit) = (screen.bad("FAIL"), exercise.time_limit.as_secs());
            screen.line(format_args!("  {word}  {test} (timed out after {limit} s)"))
        }
    }
}

fn show_solved(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let word = screen.good("Solved.");
    screen.line(format_args!("\n{word} The same in the stages:"))?;
    let claims = exercise.claims.join(", ");
    for file in &exercise.stage_files {
        screen.line(format_args!("  {file} (claim {claims})"))?;
    }
    let number = exercise.number();
    screen.line(format_args!(
        "One way to write it: cargo xtask learn solution {number}"
    ))?;
    let next = Progress::load(&workspace.root);
    let solved = |e: &Exercise| Ok::<_, Failure>(next.standing(e)? == Standing::Solved);
    for exercise in &workspace.exercises {
        if !solved(exercise)? {
            return screen.line("What comes next:     cargo xtask learn");
        }
    }
    Ok(())
}

fn show_failure(
    workspace: &Workspace,
    exercise: &Exercise,
    checked: &Checked,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let failed = |trial: &&Trial| trial.verdict != Verdict::Passed;
    if let Some(first) = checked.trials.iter().find(failed) {
        let title = screen.strong(&first.test);
        screen.line(format_args!("\n-- {title}"))?;
        screen.text(without_advice(&first.said))?;
        if first.verdict == Verdict::TimedOut {
            let limit = exercise.time_limit.as_secs();
            let meaning = &exercise.timeout_means;
            screen.line(format_args!("timed out after {limit} s: {meaning}"))?;
            if let Some(look) = &exercise.look {
                screen.line(format_args!("Look at {look}."))?;
            }
        }
        let (all, number) = (
            checked.trials.len(),
            checked.trials.iter().filter(failed).count(),
        );
        screen.line(format_args!(
            "\n{number} of {all} tests fail; this was the first."
        ))?;
    } else if checked.build.complete {
        screen.line("It has no tests. Have they been deleted?")?;
    } else {
        screen.line("It does not compile.")?;
    }

    let files = exercise.editable()?.into_iter();
    let files: Vec<_> = files
        .map(|file| workspace.shown(&exercise.folder().join(file)))
        .collect();
    let number = exercise.number();
    let shown = Progress::load(&workspace.root).hints(exercise).min(3);
    screen.line(format_args!("Edit:   {}", files.join("\n        ")))?;
    screen.line(format_args!("Again:  cargo xtask learn check {number}"))?;
    screen.line(format_args!(
        "Stuck:  cargo xtask learn hint {number} ({shown} of 3 shown)"
    ))
}

/// What a test said, but for the advice to get a backtrace: the panic is in the
/// test, and the cause is elsewhere.
fn without_advice(said: &str) -> String {
    let lines = said
        .lines()
        .filter(|line| !line.starts_with("note: run with `RUST_BACKTRACE"));
    let lines: Vec<_> = lines.collect();
    // A panic begins with an empty line.
    format!("{}\n", lines.join("\n").trim())
}
