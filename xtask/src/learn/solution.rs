//! `learn solution`: prints a solution, after a question. It is not written
//! anywhere: to type it is the least one should do.

use std::fs;
use std::io::{self, IsTerminal};

use crate::ended::{Doing, Ended, Failure};
use crate::exercise::{Exercise, files_in};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::workspace::Workspace;

pub(super) fn run(
    workspace: &Workspace,
    exercise: &Exercise,
    yes: bool,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    if !yes && !is_wanted(workspace, exercise, screen)? {
        return Ok(Ended::Well);
    }
    let folder = exercise.solution();
    let reading = format!("reading {}", workspace.shown(&folder));
    for file in files_in(&folder).doing(&reading)? {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).doing(&reading)?;
        let heading = screen.strong(&format!("// {}", workspace.shown(&path)));
        screen.line(heading)?;
        screen.text(text)?;
    }
    Ok(Ended::Well)
}

fn is_wanted(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        let what = "nobody can be asked here whether to show the solution; --yes answers";
        return Err(Failure::Usage(what.to_owned()));
    }
    let hints = Progress::load(&workspace.root).hints(exercise).min(3);
    let (number, name) = (exercise.number(), exercise.short_name());
    screen.text(format_args!(
        "You have seen {hints} of 3 hints. Show the solution of {number} {name}? [y/N] "
    ))?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .doing("reading the answer")?;
    Ok(["y", "yes"].contains(&answer.trim().to_lowercase().as_str()))
}
