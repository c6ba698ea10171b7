//! What is remembered from one command to the next, in `.learn/state.json`.
//!
//! Not under `target`: `cargo clean` should not take a reader's progress with
//! it, still less the copies that `reset` keeps.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::ended::{Doing, Failure};
use crate::exercise::Exercise;
use crate::screen;

/// How far a reader has come.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// Solved exercises, each with its fingerprint when it was.
    solved: BTreeMap<String, u64>,
    /// How many hints of an exercise have been shown.
    hints: BTreeMap<String, u64>,
    /// The exercise that was last checked.
    current: Option<String>,
}

/// Where an exercise stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Untouched,
    Begun,
    Solved,
    /// It was solved, and has been edited since.
    Changed,
}

impl Progress {
    /// Reads what is remembered. A file that cannot be understood counts as
    /// none, and that is said: all it costs is to check some exercises again.
    pub(crate) fn load(root: &Path) -> Progress {
        let path = file(root);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Progress::default(),
            Err(error) => return forgotten(&path, &error.to_string()),
        };
        match serde_json::from_slice(&text) {
            Ok(state) => Progress::from_json(&state),
            Err(error) => forgotten(&path, &error.to_string()),
        }
    }

    /// Changes what is remembered. Read anew, since `learn watch` may run
    /// beside `learn hint`.
    pub(crate) fn update(
        root: &Path,
        change: impl FnOnce(&mut Progress),
    ) -> Result<Progress, Failure> {
        let mut progress = Progress::load(root);
        change(&mut progress);
        // A file of its own for each command, so that no two write into one.
        let path = file(root);
        let new = path.with_extension(format!("{}.new", std::process::id()));
        folder(root)
            .and_then(|_| fs::write(&new, format!("{:#}\n", progress.to_json())))
            .and_then(|()| fs::rename(&new, &path))
            .doing(format_args!("writing {}", path.display()))?;
        Ok(progress)
    }

    pub(crate) fn standing(&self, exercise: &Exercise) -> Result<Standing, Failure> {
        match self.solved.get(&exercise.name) {
            Some(then) if *then == exercise.fingerprint()? => Ok(Standing::Solved),
            Some(_) => Ok(Standing::Changed),
            None if exercise.is_edited()? => Ok(Standing::Begun),
            None => Ok(Standing::Untouched),
        }
    }

    /// `fingerprint`: as it was when its tests were built.
    pub(crate) fn checked(&mut self, exercise: &Exercise, solved: bool, fingerprint: u64) {
        self.current = Some(exercise.name.clone());
        match solved {
            true => self.solved.insert(exercise.name.clone(), fingerprint),
            false => self.solved.remove(&exercise.name),
        };
    }

    pub(crate) fn current(&self) -> Option<&str> {
        self.current.as_deref()
    }

    pub(crate) fn hints(&self, exercise: &Exercise) -> u64 {
        self.hints.get(&exercise.name).copied().unwrap_or(0)
    }

    pub(crate) fn show_hint(&mut self, exercise: &Exercise) {
        *self.hints.entry(exercise.name.clone()).or_default() += 1;
    }

    pub(crate) fn reset(&mut self, exercise: &Exercise) {
        self.solved.remove(&exercise.name);
        self.hints.remove(&exercise.name);
    }

    fn from_json(state: &Value) -> Progress {
        let numbers = |key: &str| {
            let entries = state[key].as_object().into_iter().flatten();
            entries
                .filter_map(|(name, number)| Some((name.clone(), number.as_u64()?)))
                .collect()
        };
        Progress {
            solved: numbers("solved"),
            hints: numbers("hints"),
            current: state["current"].as_str().map(str::to_owned),
        }
    }

    fn to_json(&self) -> Value {
        json!({ "solved": self.solved, "hints": self.hints, "current": self.current })
    }
}

/// `.learn`, made if it is not there.
pub(crate) fn folder(root: &Path) -> io::Result<PathBuf> {
    let folder = root.join(".learn");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn file(root: &Path) -> PathBuf {
    root.join(".learn").join("state.json")
}

fn forgotten(path: &Path, why: &str) -> Progress {
    let path = path.display();
    screen::progress(format_args!(
        "{path} cannot be read, so nothing is remembered: {why}"
    ));
    Progress::default()
}
