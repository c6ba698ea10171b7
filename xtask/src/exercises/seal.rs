//! `exercises seal`: takes an exercise as it is now as its start.

use std::fs;
use std::io;
use std::path::Path;

use crate::ended::{Doing, Ended, Failure};
use crate::exercise::{Exercise, files_in};
use crate::screen::Screen;
use crate::workspace::Workspace;

/// Copies those files to `exercises/starts` that the solution has, too: they
/// are the ones that a reader edits.
pub(super) fn run(
    workspace: &Workspace,
    exercises: &[&Exercise],
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    for exercise in exercises {
        let (solution, start) = (exercise.solution(), exercise.start());
        let shown = workspace.shown(&solution);
        let files = files_in(&solution).doing(format_args!(
            "reading {shown}, which says what a reader edits"
        ))?;
        if start.exists() {
            let shown = workspace.shown(&start);
            fs::remove_dir_all(&start).doing(format_args!("removing {shown}"))?;
        }
        for file in files {
            let (from, to) = (exercise.folder().join(&file), start.join(&file));
            copy(&from, &to).doing(format_args!("copying {}", workspace.shown(&from)))?;
            screen.line(workspace.shown(&to))?;
        }
    }
    Ok(Ended::Well)
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::copy(from, to).map(|_| ())
}
