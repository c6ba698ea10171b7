//! What the reader is told after a check.

use crate::compile::{Build, Level};
use crate::ended::Failure;
use crate::exercise::Exercise;
use crate::progress::{Progress, Standing};
use crate::screen::Screen;
use crate::trial::{Trial, Verdict};
use crate::workspace::Workspace;

/// An exercise that nobody has begun. Its tests are not run: what they print
/// would answer what the README asks first.
pub(super) fn introduce(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<(), Failure> {
    heading(exercise, screen)?;
    let readme = workspace.shown(&exercise.folder().join("README.md"));
    let number = exercise.number();
    screen.line(format_args!("Read:   {readme}, and predict"))?;
    screen.line(format_args!("Run:    cargo xtask learn check {number}"))
}

/// Which exercise it is.
pub(super) fn heading(exercise: &Exercise, screen: &mut Screen) -> Result<(), Failure> {
    let (number, name, title) = (exercise.number(), exercise.short_name(), &exercise.title);
    let heading = screen.strong(&format!("{number} {name}: {title}"));
    screen.line(heading)
}

/// Errors, and the warnings that mean something: an exercise that is not
/// finished has unused variables, which is no news.
pub(super) fn compiler(build: &Build, screen: &mut Screen) -> Result<(), Failure> {
    let level = match build.complete {
        true => Level::Warning,
        false => Level::Error,
    };
    for message in build
        .messages
        .iter()
        .filter(|message| message.level == level)
    {
        screen.line(&message.text)?;
    }
    match (build.complete, build.programs.is_empty()) {
        (false, _) => screen.line("It does not compile."),
        (true, true) => screen.line("It has no tests. Have they been deleted?"),
        (true, false) => Ok(()),
    }
}

/// All tests and their verdicts, then how the first has failed: to mend one
/// thing at a time is enough.
pub(super) fn trials(
    exercise: &Exercise,
    trials: &[Trial],
    screen: &mut Screen,
) -> Result<(), Failure> {
    for trial in trials {
        verdict(exercise, trial, screen)?;
    }
    if let Some(first) = trials.iter().find(|trial| trial.verdict == Verdict::Failed) {
        let title = screen.strong(&first.test);
        screen.line(format_args!("\n-- {title}"))?;
        screen.line(without_advice(&first.said))?;
    }
    let number = |verdict| trials.iter().filter(|t| t.verdict == verdict).count();
    let (failed, timed_out) = (number(Verdict::Failed), number(Verdict::TimedOut));
    let (fail, all) = (failed + timed_out, trials.len());
    match (fail, failed) {
        (0, _) => Ok(()),
        (_, 0 | 1) => screen.line(format_args!("\n{fail} of {all} tests fail.")),
        _ => screen.line(format_args!(
            "\n{fail} of {all} tests fail; above is what the first of them says."
        )),
    }
}

/// A test's verdict. What one that passed has to say is an answer to "predict";
/// one that hangs has little to say, so that is done here.
fn verdict(exercise: &Exercise, trial: &Trial, screen: &mut Screen) -> Result<(), Failure> {
    let word = match trial.verdict {
        Verdict::Passed => screen.good("ok  "),
        Verdict::Failed | Verdict::TimedOut => screen.bad("FAIL"),
    };
    screen.line(format_args!("  {word}  {}", trial.test))?;
    if trial.verdict != Verdict::Failed {
        screen.indented(10, &without_advice(&trial.said))?;
    }
    if trial.verdict == Verdict::TimedOut {
        let (limit, meaning) = (exercise.time_limit.as_secs(), &exercise.timeout_means);
        screen.indented(10, &format!("timed out after {limit} s: {meaning}"))?;
        if let Some(look) = &exercise.look {
            screen.indented(10, &format!("Look at {look}"))?;
        }
    }
    Ok(())
}

/// What a test said, but for the advice to get a backtrace: the panic is in the
/// test, and the cause is elsewhere.
fn without_advice(said: &str) -> String {
    let lines = said.lines();
    let lines = lines.filter(|line| !line.starts_with("note: run with `RUST_BACKTRACE"));
    // A panic begins with an empty line.
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Where to read on.
pub(super) fn solved(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let word = screen.good("Solved.");
    let (number, claims) = (exercise.number(), exercise.claims.join(", "));
    screen.line(format_args!(
        "\n{word} The same in the stages (claims {claims}):"
    ))?;
    for file in &exercise.stage_files {
        screen.line(format_args!("  {file}"))?;
    }
    screen.line(format_args!("Ours:  cargo xtask learn solution {number}"))?;
    let progress = Progress::load(&workspace.root);
    for exercise in &workspace.exercises {
        if progress.standing(exercise)? != Standing::Solved {
            return screen.line("Next:  cargo xtask learn");
        }
    }
    Ok(())
}

/// What to edit, and where there is help.
pub(super) fn what_to_do(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let files = exercise.editable()?.into_iter();
    let files = files.map(|file| workspace.shown(&exercise.folder().join(file)));
    let files: Vec<_> = files.collect();
    let number = exercise.number();
    let shown = Progress::load(&workspace.root).hints(exercise).min(3);
    screen.line(format_args!("Edit:   {}", files.join("\n        ")))?;
    screen.line(format_args!("Again:  cargo xtask learn check {number}"))?;
    screen.line(format_args!(
        "Stuck:  cargo xtask learn hint {number} ({shown} of 3 shown)"
    ))
}
