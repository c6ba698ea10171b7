//! Where everything is: what cargo says of the workspace we are called in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::ended::{Doing, Failure};
use crate::exercise::Exercise;

/// The workspace, and its exercises in order.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
    pub(crate) exercises: Vec<Exercise>,
}

impl Workspace {
    /// Asks cargo, from the current directory: it may be any in the workspace.
    pub(crate) fn find() -> Result<Workspace, Failure> {
        let output = cargo()
            .args(["metadata", "--no-deps", "--format-version=1"])
            .stderr(Stdio::inherit())
            .output()
            .doing("starting cargo")?;
        if !output.status.success() {
            let what = "cargo cannot read this workspace; what is wrong stands above";
            return Err(Failure::Obstacle(what.to_owned()));
        }
        let metadata: Value =
            serde_json::from_slice(&output.stdout).doing("reading what cargo metadata says")?;
        let path = |key: &str| metadata[key].as_str().map(PathBuf::from);
        let (Some(root), Some(target)) = (path("workspace_root"), path("target_directory")) else {
            let what = "cargo metadata names no workspace";
            return Err(Failure::Obstacle(what.to_owned()));
        };

        let all = root.join("exercises");
        let packages = metadata["packages"].as_array().into_iter().flatten();
        let mut exercises = packages
            .filter_map(|package| Exercise::read(package, &all).transpose())
            .collect::<Result<Vec<_>, _>>()?;
        exercises.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Workspace {
            root,
            target,
            exercises,
        })
    }

    /// The exercise that goes by `name`: its number, its name, or its path.
    pub(crate) fn exercise(&self, name: &str) -> Result<&Exercise, Failure> {
        let named = self
            .exercises
            .iter()
            .find(|exercise| exercise.is_called(name));
        named.ok_or_else(|| {
            Failure::Usage(format!(
                "no exercise is called {name}; `cargo xtask learn list` shows all"
            ))
        })
    }

    /// `path`, as a reader at the root would write it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        path.display().to_string().replace('\\', "/")
    }
}

/// The cargo that runs us, or the one on the path.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}
