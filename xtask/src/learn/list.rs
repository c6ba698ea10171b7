//! `learn list`: all exercises, and how far the reader has come.

use crate::ended::{Ended, Failure};
use crate::progress::{Progress, Standing};
use crate::screen::Screen;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace, screen: &mut Screen) -> Result<Ended, Failure> {
    let progress = Progress::load(&workspace.root);
    let width = workspace
        .exercises
        .iter()
        .map(|e| e.short_name().len())
        .max();
    let width = width.unwrap_or(0);
    let mut chapter = "";
    let (mut solved, mut short, mut short_solved) = (0, 0, 0);
    for exercise in &workspace.exercises {
        if exercise.chapter != chapter {
            chapter = &exercise.chapter;
            let title = screen.strong(chapter);
            screen.line(title)?;
        }
        let standing = progress.standing(exercise)?;
        let is_solved = usize::from(standing == Standing::Solved);
        solved += is_solved;
        short += usize::from(exercise.short_road);
        short_solved += usize::from(exercise.short_road) * is_solved;
        // Padded before it is coloured: colours have a length, too.
        let word = match standing {
            Standing::Untouched => "       ".to_owned(),
            Standing::Begun => "begun  ".to_owned(),
            Standing::Changed => "changed".to_owned(),
            Standing::Solved => screen.good("solved "),
        };
        let mark = if exercise.short_road { '*' } else { ' ' };
        let (number, name) = (exercise.number(), exercise.short_name());
        let title = &exercise.title;
        screen.line(format_args!(
            "  {number:>2} {mark} {name:width$}  {word}  {title}"
        ))?;
    }
    let all = workspace.exercises.len();
    screen.line(format_args!(
        "\n{solved} of {all} solved; on the short road (*) {short_solved} of {short}"
    ))?;
    Ok(Ended::Well)
}
