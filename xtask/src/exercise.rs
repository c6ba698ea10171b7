//! One exercise: what its `Cargo.toml` says of it, and where its files are.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::ended::{Doing, Failure};

/// How long a test may take, if its exercise says nothing.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// An exercise, as `exercises/AUTHORING.md` describes it.
#[derive(Debug)]
pub(crate) struct Exercise {
    /// The cargo package: `ex16-latest-waker`.
    pub(crate) package: String,
    /// The folder above: `04_futures`.
    pub(crate) chapter: String,
    /// The folder: `16_latest_waker`.
    pub(crate) name: String,
    /// `exercises`, in which its files, its start and its solution lie.
    all: PathBuf,
    pub(crate) title: String,
    /// Whether it is one of the twelve of the short road.
    pub(crate) short_road: bool,
    /// Ids of the articles' claims.
    pub(crate) claims: Vec<String>,
    /// The same mechanism in the stages, from the workspace's root.
    pub(crate) stage_files: Vec<String>,
    /// The tests that fail at the start, and why.
    pub(crate) start_fails: BTreeMap<String, Reason>,
    pub(crate) time_limit: Duration,
    /// What a test that runs out of time has shown.
    pub(crate) timeout_means: String,
    /// Where to look then.
    pub(crate) look: Option<String>,
    /// Whether its tests measure time, and disturb each other.
    pub(crate) one_at_a_time: bool,
}

/// Why a test fails at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    TimesOut,
    /// What it says on standard error contains this text.
    Says(String),
}

impl Exercise {
    /// Reads a package as `cargo metadata` describes it. `None`, if it lies
    /// outside of `all`, the folder of the exercises.
    pub(crate) fn read(package: &Value, all: &Path) -> Result<Option<Exercise>, Failure> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let manifest = package["manifest_path"].as_str().map(Path::new);
        let within = manifest.and_then(|path| path.parent()?.strip_prefix(all).ok());
        let Some((chapter, name)) = within.and_then(chapter_and_name) else {
            return Ok(None);
        };

        let says = &package["metadata"]["exercise"];
        let wrong = |key: &str| {
            Failure::Obstacle(format!(
                "exercises/{chapter}/{name}/Cargo.toml: `{key}` of [package.metadata.exercise] \
                 is missing or not as exercises/AUTHORING.md describes it"
            ))
        };
        let texts = |key: &str| {
            let list = says[key].as_array().ok_or_else(|| wrong(key))?;
            let list = list.iter().map(text).collect::<Option<Vec<_>>>();
            list.ok_or_else(|| wrong(key))
        };
        let fails = says["start-fails"].as_object();
        let fails = fails.ok_or_else(|| wrong("start-fails"))?.iter();
        let fails = fails.map(|(test, why)| {
            Some((
                test.clone(),
                match why.as_str()? {
                    "timeout" => Reason::TimesOut,
                    text => Reason::Says(text.to_owned()),
                },
            ))
        });
        Ok(Some(Exercise {
            package: text(&package["name"]).ok_or_else(|| wrong("name"))?,
            all: all.to_owned(),
            title: text(&says["title"]).ok_or_else(|| wrong("title"))?,
            short_road: match says["road"].as_str() {
                Some("short") => true,
                Some("side") => false,
                _ => return Err(wrong("road")),
            },
            claims: texts("claims")?,
            stage_files: texts("stage-files")?,
            start_fails: fails
                .collect::<Option<_>>()
                .ok_or_else(|| wrong("start-fails"))?,
            time_limit: says["time-limit-seconds"]
                .as_u64()
                .map_or(TIME_LIMIT, Duration::from_secs),
            timeout_means: text(&says["timeout-means"])
                .unwrap_or_else(|| "nothing woke this task".to_owned()),
            look: text(&says["look"]),
            one_at_a_time: says["one-at-a-time"].as_bool().unwrap_or(false),
            chapter,
            name,
        }))
    }

    /// Whether a reader who says `called` means this one.
    pub(crate) fn is_called(&self, called: &str) -> bool {
        let called = called.replace('\\', "/");
        let called = called.trim_end_matches('/');
        let last = called.rsplit('/').next().unwrap_or(called);
        match last.parse::<u32>() {
            Ok(number) => self.number().parse() == Ok(number),
            Err(_) => [&self.name, &self.package, self.short_name()].contains(&last),
        }
    }

    /// `16`, or `1` for `01_short_reads`.
    pub(crate) fn number(&self) -> &str {
        let number = self.name.split_once('_').map_or("", |(number, _)| number);
        number.trim_start_matches('0')
    }

    /// `latest_waker`.
    pub(crate) fn short_name(&self) -> &str {
        self.name
            .split_once('_')
            .map_or(&self.name, |(_, name)| name)
    }

    /// The exercise itself.
    pub(crate) fn folder(&self) -> PathBuf {
        self.all.join(&self.chapter).join(&self.name)
    }

    /// The files that a reader edits, as they are at the start.
    pub(crate) fn start(&self) -> PathBuf {
        self.all.join("starts").join(&self.chapter).join(&self.name)
    }

    /// The same files, solved.
    pub(crate) fn solution(&self) -> PathBuf {
        let solutions = self.all.join("solutions");
        solutions.join(&self.chapter).join(&self.name)
    }

    /// The files that a reader edits, relative to [`folder`](Self::folder).
    pub(crate) fn editable(&self) -> Result<Vec<PathBuf>, Failure> {
        files_in(&self.start()).doing(format_args!("reading the start of {}", self.name))
    }

    /// Whether the reader has changed something that [`start`](Self::start) has.
    pub(crate) fn is_edited(&self) -> Result<bool, Failure> {
        let is_same = |file: &PathBuf| {
            let now = fs::read(self.folder().join(file));
            now.is_ok_and(|now| fs::read(self.start().join(file)).is_ok_and(|then| then == now))
        };
        Ok(!self.editable()?.iter().all(is_same))
    }

    /// A number that changes with every change of a file of the exercise.
    pub(crate) fn fingerprint(&self) -> Result<u64, Failure> {
        let reading = format!("reading {}", self.name);
        let mut hasher = DefaultHasher::new();
        for file in files_in(&self.folder()).doing(&reading)? {
            let content = match fs::read(self.folder().join(&file)) {
                // An editor's temporary file may be gone already.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                content => content.doing(&reading)?,
            };
            (file, content).hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

fn chapter_and_name(within: &Path) -> Option<(String, String)> {
    let mut parts = within.iter().map(|part| part.to_str().map(str::to_owned));
    let both = (parts.next()??, parts.next()??);
    parts.next().is_none().then_some(both)
}

/// All files under `folder`, relative to it, in order, but for what an editor or
/// the system leaves beside them.
///
/// # Errors
///
/// The folder or one in it cannot be read.
pub(crate) fn files_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(within) = folders.pop() {
        for entry in fs::read_dir(folder.join(&within))? {
            let entry = entry?;
            if is_left_there(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let path = within.join(entry.file_name());
            match entry.file_type()?.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    Ok(found)
}

/// `.lib.rs.swp`, `lib.rs~`, `#lib.rs#`, `.DS_Store`.
pub(crate) fn is_left_there(name: &str) -> bool {
    name.starts_with(['.', '#']) || name.ends_with('~')
}
