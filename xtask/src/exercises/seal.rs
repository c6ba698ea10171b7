//! `exercises seal`: takes an exercise as it is now as its start.

use std::fs;

use crate::ended::{Doing, Ended, Failure};
use crate::exercise::{Exercise, files_in};
use crate::mirror;
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
        // Read before anything is removed: one of them may be missing.
        let mut sealed = Vec::new();
        for file in files {
            let from = exercise.folder().join(&file);
            let content = fs::read(&from).doing(workspace.shown(&from))?;
            sealed.push((start.join(file), content));
        }
        if start.exists() {
            let shown = workspace.shown(&start);
            fs::remove_dir_all(&start).doing(format_args!("removing {shown}"))?;
        }
        for (to, content) in sealed {
            let shown = workspace.shown(&to);
            mirror::write(&to, &content).doing(format_args!("writing {shown}"))?;
            screen.line(shown)?;
        }
    }
    Ok(Ended::Well)
}
