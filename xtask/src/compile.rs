//! Building the tests of exercises with cargo, and learning what came of it.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::ended::{Doing, Failure};
use crate::workspace::cargo;

/// What a build has made, and what the compiler said.
#[derive(Debug, Default)]
pub(crate) struct Build {
    pub(crate) programs: Vec<Program>,
    pub(crate) messages: Vec<Message>,
    /// Whether everything was built.
    pub(crate) complete: bool,
}

/// A program that runs the tests of one file.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) package: String,
    pub(crate) path: PathBuf,
}

/// Something the compiler said of one package, as it would be printed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) package: String,
    pub(crate) level: Level,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    /// A warning that says something about the code's meaning.
    Warning,
    /// A warning that every unfinished function gives: something is unused.
    Unfinished,
}

/// Builds the tests that `selection` names in cargo's words, in the workspace at
/// `root`. `target` is where to, if not where the workspace says.
///
/// # Errors
///
/// Cargo cannot be started, or failed before it compiled anything. Code that
/// does not compile is no error, but stands in the messages.
pub(crate) fn build_tests(
    root: &Path,
    target: Option<&Path>,
    selection: &[&str],
    colour: bool,
) -> Result<Build, Failure> {
    let mut command = cargo();
    command
        .current_dir(root)
        .args(["build", "--keep-going", "--quiet"])
        .args(selection)
        .arg(match colour {
            true => "--message-format=json-diagnostic-rendered-ansi",
            false => "--message-format=json",
        });
    if let Some(target) = target {
        command.arg("--target-dir").arg(target);
    }
    let output = command
        .stderr(Stdio::piped())
        .output()
        .doing("starting cargo")?;

    let mut build = Build {
        complete: output.status.success(),
        ..Build::default()
    };
    // A line that is no message of cargo's is something that it passes on.
    let lines = output.stdout.split(|byte| *byte == b'\n');
    for line in lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok()) {
        build.programs.extend(program(&line));
        let message = message(&line);
        // A library is compiled twice, once for its own tests.
        build
            .messages
            .extend(message.filter(|message| !build.messages.contains(message)));
    }
    let has_errors = build.messages.iter().any(|m| m.level == Level::Error);
    if !build.complete && !has_errors {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Failure::Obstacle(said));
    }
    Ok(build)
}

fn program(line: &Value) -> Option<Program> {
    let is_test = line["profile"]["test"].as_bool() == Some(true);
    let path = line["executable"].as_str().filter(|_| is_test)?;
    Some(Program {
        package: package(line)?,
        path: PathBuf::from(path),
    })
}

fn message(line: &Value) -> Option<Message> {
    let said = &line["message"];
    let text = said["rendered"].as_str()?;
    let code = said["code"]["code"].as_str().unwrap_or_default();
    let level = match said["level"].as_str()? {
        "warning" if ["unused_variables", "unused_imports", "unused_mut"].contains(&code) => {
            Level::Unfinished
        }
        "warning" if ["dead_code", "unreachable_code"].contains(&code) => Level::Unfinished,
        // "2 warnings emitted", "aborting due to 1 previous error".
        "warning" | "error" if said["spans"].as_array().is_none_or(Vec::is_empty) => return None,
        "warning" => Level::Warning,
        "error" | "error: internal compiler error" => Level::Error,
        _ => return None,
    };
    Some(Message {
        package: package(line)?,
        level,
        text: text.to_owned(),
    })
}

/// The name in a package id: `path+file:///…/16_latest_waker#ex16-latest-waker@0.1.0`.
fn package(line: &Value) -> Option<String> {
    let (_, name) = line["package_id"].as_str()?.rsplit_once('#')?;
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    Some(name.to_owned())
}
