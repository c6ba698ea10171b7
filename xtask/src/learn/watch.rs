//! `learn watch`: checks whenever something is saved.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use notify::{Event, RecursiveMode, Watcher};

use super::{check, current, report};
use crate::ended::{Doing, Ended, Failure};
use crate::exercise::Exercise;
use crate::progress::{Progress, Standing};
use crate::screen::{self, Screen};
use crate::workspace::Workspace;

/// An editor saves in several steps; so long they may take.
const SETTLED: Duration = Duration::from_millis(100);

pub(super) fn run(
    workspace: &Workspace,
    exercise: &Exercise,
    all: bool,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let mut exercise = exercise;
    loop {
        until_solved(workspace, exercise, screen)?;
        match current(workspace, all)? {
            Some(next) => exercise = next,
            None => return super::all_solved(screen),
        }
        screen.line("")?;
    }
}

fn until_solved(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<(), Failure> {
    let folder = exercise.folder();
    let shown = workspace.shown(&folder);
    let (changed, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        // We read the files ourselves, and would hear of that for ever. What
        // else happened does not matter: the files themselves are asked.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            // An error: nobody listens, since we are about to stop watching.
            let _ = changed.send(());
        }
    })
    .doing("asking the system to tell what is saved")?;
    let watched = watcher.watch(&folder, RecursiveMode::Recursive);
    watched.doing(format_args!("watching {shown}"))?;

    let mut seen = exercise.fingerprint()?;
    let mut is_new = Progress::load(&workspace.root).standing(exercise)? == Standing::Untouched;
    loop {
        // As `learn` does: there is something to predict before the tests are run.
        if is_new {
            report::introduce(workspace, exercise, screen)?;
        } else if check::run(workspace, exercise, screen)? == Ended::Well {
            return Ok(());
        }
        is_new = false;
        screen::progress(format_args!(
            "watching {shown}: its tests run when you save (Ctrl-C ends it) ..."
        ));
        // A file may have been saved as it was.
        while exercise.fingerprint()? == seen {
            wait(&changes)?;
        }
        seen = exercise.fingerprint()?;
        screen.line("")?;
    }
}

/// Waits for a change, and then until nothing more comes.
fn wait(changes: &Receiver<()>) -> Result<(), Failure> {
    let ended = |_| Failure::Obstacle("the system no longer tells what is saved".to_owned());
    changes.recv().map_err(ended)?;
    while changes.recv_timeout(SETTLED).is_ok() {}
    Ok(())
}
