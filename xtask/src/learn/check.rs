//! `learn check`: builds and runs an exercise's tests, and says what to do.

use std::time::Instant;

use super::report;
use crate::compile::{self, Build};
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
    report::heading(exercise, screen)?;
    if Progress::load(&workspace.root).standing(exercise)? == Standing::Untouched {
        let readme = workspace.shown(&exercise.folder().join("README.md"));
        screen.line(format_args!("Nothing is changed yet. Read {readme} first."))?;
    }
    screen::progress("building (the first time with all that it depends on) ...");
    let checked = Checked::new(workspace, exercise, screen)?;
    screen.line("")?;
    report::compiler(&checked.build, screen)?;
    report::trials(exercise, &checked.trials, screen)?;
    match checked.is_solved() {
        true => report::solved(workspace, exercise, screen)?,
        false => report::what_to_do(workspace, exercise, screen)?,
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
        let tests = ["--tests", "--package", &exercise.package];
        let build = compile::build_tests(&workspace.root, None, &tests, screen.colour())?;
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
