//! `cargo xtask learn`: what a reader can ask for.
//!
//! Nothing here but [`reset`] writes into an exercise.

mod check;
mod hint;
mod list;
mod report;
mod reset;
mod solution;
mod watch;

use lexopt::Arg::{Long, Short, Value};

use crate::ended::{Ended, Failure};
use crate::exercise::Exercise;
use crate::progress::{Progress, Standing};
use crate::screen::Screen;
use crate::workspace::Workspace;

pub(crate) use hint::split as hints;

const HELP: &str = "\
Work through the exercises. NAME is a number (16) or a name (latest_waker); without it,
the exercise that you are at is meant.

    cargo xtask learn                  the next unsolved exercise: what to read, then, once you
                                       have begun, its tests
    cargo xtask learn list             all exercises, and how far you have come
    cargo xtask learn check [NAME]     run an exercise's tests (exit code 1: not solved)
    cargo xtask learn watch [NAME]     the same, whenever you save; goes on to the next
    cargo xtask learn hint [NAME]      the next of three hints
    cargo xtask learn solution [NAME]  a solution, after a question
    cargo xtask learn reset NAME       back to the start; keeps a copy of what you wrote

    --all      learn, watch: the side roads too, by number; check: every exercise
    --yes      solution: do not ask
    -h --help  this text

Twelve exercises make a short road (marked * in the list): an evening. `learn` follows it,
and then the side roads. In the list, `begun` is edited; `changed` was solved, and something
in it is new since: check it again. What is remembered, and kept, lies in .learn/.
";

/// What stands on the command line.
#[derive(Default)]
struct Options {
    command: Option<String>,
    name: Option<String>,
    all: bool,
    yes: bool,
}

pub(crate) fn run(mut arguments: lexopt::Parser, screen: &mut Screen) -> Result<Ended, Failure> {
    let mut options = Options::default();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return screen.text(HELP).map(|()| Ended::Well),
            Long("all") => options.all = true,
            Long("yes") => options.yes = true,
            Value(value) if options.command.is_none() => {
                options.command = Some(value.to_string_lossy().into_owned());
            }
            Value(value) if options.name.is_none() => {
                options.name = Some(value.to_string_lossy().into_owned());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let workspace = Workspace::find()?;
    if workspace.exercises.is_empty() {
        let root = workspace.root.display();
        let what = format!("there are no exercises in the workspace at {root}");
        return Err(Failure::Obstacle(what));
    }
    let named = options.name.as_deref().map(|name| workspace.exercise(name));
    let named = named.transpose()?;
    let meant = || match named {
        Some(exercise) => Ok(Some(exercise)),
        None => current(&workspace, options.all),
    };
    match options.command.as_deref() {
        None => next(&workspace, options.all, screen),
        Some("list") if named.is_none() => list::run(&workspace, screen),
        Some("list") => Err(Failure::Usage("`learn list` takes no NAME".to_owned())),
        Some("check") if options.all && named.is_none() => check::all(&workspace, screen),
        Some("check") if options.all => {
            Err(Failure::Usage("`learn check`: --all, or a NAME".to_owned()))
        }
        Some("check") => match meant()? {
            Some(exercise) => check::run(&workspace, exercise, screen),
            None => all_solved(screen),
        },
        Some("watch") => match meant()? {
            Some(exercise) => watch::run(&workspace, exercise, options.all, screen),
            None => all_solved(screen),
        },
        Some("hint") => match meant()? {
            Some(exercise) => hint::run(&workspace, exercise, screen),
            None => all_solved(screen),
        },
        Some("solution") => match meant()? {
            Some(exercise) => solution::run(&workspace, exercise, options.yes, screen),
            None => all_solved(screen),
        },
        Some("reset") => match named {
            Some(exercise) => reset::run(&workspace, exercise, screen),
            None => Err(Failure::Usage("reset which exercise?".to_owned())),
        },
        Some(other) => Err(Failure::Usage(format!("there is no `learn {other}`"))),
    }
}

/// Shows the next unsolved exercise, and runs it if the reader has begun. Those
/// before it that turn out to be solved are noted as such.
fn next(workspace: &Workspace, all: bool, screen: &mut Screen) -> Result<Ended, Failure> {
    for exercise in in_order(workspace, all) {
        match Progress::load(&workspace.root).standing(exercise)? {
            Standing::Solved => continue,
            Standing::Untouched => {
                report::introduce(workspace, exercise, screen)?;
                return Ok(Ended::Well);
            }
            Standing::Begun | Standing::Changed => {}
        }
        if check::run(workspace, exercise, screen)? == Ended::Unsolved {
            // It was asked for the next one, and here it is.
            return Ok(Ended::Well);
        }
    }
    all_solved(screen)
}

/// The exercise that was last checked, if it is not solved; else the next.
fn current(workspace: &Workspace, all: bool) -> Result<Option<&Exercise>, Failure> {
    let progress = Progress::load(&workspace.root);
    let last = progress
        .current()
        .and_then(|name| workspace.exercise(name).ok());
    for exercise in last.into_iter().chain(in_order(workspace, all)) {
        if progress.standing(exercise)? != Standing::Solved {
            return Ok(Some(exercise));
        }
    }
    Ok(None)
}

/// The exercises in the order in which a reader meets them: the short road,
/// then the side roads; or simply by number.
fn in_order(workspace: &Workspace, all: bool) -> Vec<&Exercise> {
    let mut exercises: Vec<_> = workspace.exercises.iter().collect();
    if !all {
        exercises.sort_by_key(|exercise| !exercise.short_road);
    }
    exercises
}

fn all_solved(screen: &mut Screen) -> Result<Ended, Failure> {
    let text = screen.good("All exercises are solved.");
    screen.line(text)?;
    Ok(Ended::Well)
}
