//! `learn hint`: the next hint.

use std::fs;

use crate::ended::{Doing, Ended, Failure};
use crate::exercise::Exercise;
use crate::progress::Progress;
use crate::screen::Screen;
use crate::workspace::Workspace;

pub(super) fn run(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let path = exercise.folder().join("hints.md");
    let text = fs::read_to_string(&path);
    let text = text.doing(format_args!("reading {}", workspace.shown(&path)))?;
    let hints = split(&text);
    let Some(last) = hints.len().checked_sub(1) else {
        let what = format!("{} has no hint", workspace.shown(&path));
        return Err(Failure::Obstacle(what));
    };

    let shown = Progress::load(&workspace.root).hints(exercise);
    let index = usize::try_from(shown).unwrap_or(last).min(last);
    let (number, name) = (exercise.number(), exercise.short_name());
    let (which, all) = (index + 1, hints.len());
    let heading = screen.strong(&format!("{number} {name}, hint {which} of {all}"));
    screen.line(heading)?;
    screen.text(format_args!("\n{}\n\n", hints[index]))?;
    if index == last {
        screen.line(format_args!(
            "That was the last one. Then there is: cargo xtask learn solution {number}"
        ))?;
    }
    // Only now: a hint that nobody could read was not shown.
    Progress::update(&workspace.root, |progress| progress.show_hint(exercise))?;
    Ok(Ended::Well)
}

/// The texts under the headings `## Hint 1` and so on.
pub(crate) fn split(text: &str) -> Vec<&str> {
    text.split("\n## Hint ")
        .skip(1)
        .map(|part| part.split_once('\n').map_or("", |(_, text)| text.trim()))
        .collect()
}
