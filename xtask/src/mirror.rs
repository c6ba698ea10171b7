//! A copy of all exercises in a workspace of its own, under `target`, in which
//! their starts and their solutions are tried.
//!
//! A copy, since nothing may be written into an exercise; a workspace of its
//! own, since two members of one package name are refused by cargo. It depends
//! on the same crates by their paths, has the same `Cargo.lock`, and builds
//! into one directory, so that what all exercises depend on is built once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::ended::{Doing, Failure};
use crate::exercise::{Exercise, files_in};
use crate::workspace::Workspace;

/// The copy.
pub(crate) struct Mirror {
    pub(crate) root: PathBuf,
    /// Where it builds.
    pub(crate) target: PathBuf,
}

/// Which of an exercise's states is to be tried.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Start,
    Solution,
}

impl Mirror {
    /// Makes the copy, or brings an earlier one up to date.
    pub(crate) fn new(workspace: &Workspace) -> Result<Mirror, Failure> {
        let mirror = Mirror {
            root: workspace.target.join("exercises").join("mirror"),
            target: workspace.target.join("exercises").join("build"),
        };
        let copied = mirror.copy_manifest(&workspace.root);
        copied
            .and_then(|()| mirror.remove_what_is_gone(workspace))
            .doing(format_args!("making {}", mirror.root.display()))?;
        Ok(mirror)
    }

    /// Brings an exercise into one of its two states.
    pub(crate) fn show(&self, exercise: &Exercise, side: Side) -> Result<(), Failure> {
        let overlay = match side {
            Side::Start => exercise.start(),
            Side::Solution => exercise.solution(),
        };
        self.copy(exercise, &overlay)
            .doing(format_args!("copying {}", exercise.name))
    }

    /// Where the copy of an exercise lies.
    pub(crate) fn folder(&self, exercise: &Exercise) -> PathBuf {
        let exercises = self.root.join("exercises");
        exercises.join(&exercise.chapter).join(&exercise.name)
    }

    fn copy_manifest(&self, root: &Path) -> io::Result<()> {
        let original = fs::read_to_string(root.join("Cargo.toml"))?;
        // In TOML a backslash would begin an escape.
        let crates = root.display().to_string().replace('\\', "/") + "/";
        let manifest = manifest(&original, "exercises/*/*", &crates);
        write(&self.root.join("Cargo.toml"), manifest.as_bytes())?;
        write(
            &self.root.join("Cargo.lock"),
            &fs::read(root.join("Cargo.lock"))?,
        )
    }

    fn copy(&self, exercise: &Exercise, overlay: &Path) -> io::Result<()> {
        let (from, to) = (exercise.folder(), self.folder(exercise));
        let (files, over) = (files_in(&from)?, files_in(overlay)?);
        for file in &files {
            let source = if over.contains(file) { overlay } else { &from };
            write(&to.join(file), &fs::read(source.join(file))?)?;
        }
        for file in files_in(&to)? {
            if !files.contains(&file) {
                fs::remove_file(to.join(file))?;
            }
        }
        Ok(())
    }

    /// Cargo takes every folder here for a member.
    fn remove_what_is_gone(&self, workspace: &Workspace) -> io::Result<()> {
        let exercises = self.root.join("exercises");
        fs::create_dir_all(&exercises)?;
        let known: Vec<_> = workspace.exercises.iter().map(|e| self.folder(e)).collect();
        for chapter in fs::read_dir(&exercises)? {
            for exercise in fs::read_dir(chapter?.path())? {
                let exercise = exercise?.path();
                if !known.contains(&exercise) {
                    fs::remove_dir_all(exercise)?;
                }
            }
        }
        Ok(())
    }
}

/// A workspace's `Cargo.toml`, with other members. Paths get `prefix`.
pub(crate) fn manifest(original: &str, members: &str, prefix: &str) -> String {
    let is_about_members =
        |line: &str| line.starts_with("members") || line.starts_with("default-members");
    let lines = original.lines().map(|line| match line {
        "[workspace]" => format!("[workspace]\nmembers = [\"{members}\"]"),
        line if is_about_members(line) => String::new(),
        line => line.replace("path = \"", &format!("path = \"{prefix}")),
    });
    lines.map(|line| line + "\n").collect()
}

/// Writes, unless the same is there already: cargo builds what is newer than
/// its last build.
pub(crate) fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|now| now == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)
}
