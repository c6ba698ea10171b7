//! `learn reset`: back to the start. The only command that writes into an
//! exercise, and not before what it overwrites is safe.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::ended::{Doing, Ended, Failure};
use crate::exercise::Exercise;
use crate::progress::{self, Progress};
use crate::screen::Screen;
use crate::workspace::Workspace;

pub(super) fn run(
    workspace: &Workspace,
    exercise: &Exercise,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let reading = format!("reading {}", exercise.name);
    let mut edited = Vec::new();
    for file in exercise.editable()? {
        let start = fs::read(exercise.start().join(&file)).doing(&reading)?;
        let now = match fs::read(exercise.folder().join(&file)) {
            Ok(now) => Some(now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).doing(&reading),
        };
        if now.as_ref() != Some(&start) {
            edited.push((file, start, now));
        }
    }
    if edited.is_empty() {
        screen.line("It is as it was at the start; nothing to do.")?;
        return Ok(Ended::Well);
    }

    let keeping = format!("keeping a copy of {}", exercise.name);
    let kept = new_folder(&workspace.root, exercise).doing(&keeping)?;
    for (file, _, now) in &edited {
        if let Some(now) = now {
            write(&kept.join(file), now).doing(&keeping)?;
        }
    }
    for (file, start, _) in &edited {
        write(&exercise.folder().join(file), start)
            .doing(format_args!("resetting {}", exercise.name))?;
    }
    Progress::update(&workspace.root, |progress| progress.reset(exercise))?;
    let (name, kept) = (exercise.short_name(), workspace.shown(&kept));
    screen.line(format_args!(
        "{name} is as it was at the start. What you wrote is kept in {kept}"
    ))?;
    Ok(Ended::Well)
}

/// A folder that was not there before: `.learn/kept/16_latest_waker/3`.
fn new_folder(root: &Path, exercise: &Exercise) -> io::Result<PathBuf> {
    let all = progress::folder(root)?.join("kept").join(&exercise.name);
    fs::create_dir_all(&all)?;
    let mut number = 1;
    loop {
        let folder = all.join(number.to_string());
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
