//! What can be checked of an exercise without building it: that it is complete,
//! and that its parts agree with each other.

use std::fs;
use std::path::Path;

use crate::ended::{Doing, Failure};
use crate::exercise::{Exercise, Reason, files_in};
use crate::learn::hints;
use crate::workspace::Workspace;

/// The headings of every README, in order.
const SECTIONS: [&str; 6] = [
    "## What you learn",
    "## The two questions",
    "## Predict",
    "## Your part",
    "## Passing",
    "## In the stages",
];

/// What is wrong with an exercise's form, each in a line.
pub(super) fn faults(workspace: &Workspace, exercise: &Exercise) -> Result<Vec<String>, Failure> {
    let mut faults = Vec::new();
    let wanted = format!("ex{}", exercise.name.replace('_', "-"));
    if exercise.package != wanted {
        faults.push(format!("Cargo.toml: the package is to be called {wanted}"));
    }
    if exercise.claims.is_empty() {
        faults.push("Cargo.toml: it names no claim".to_owned());
    }
    for file in &exercise.stage_files {
        if !workspace.root.join(file).exists() {
            faults.push(format!("Cargo.toml: there is no {file}"));
        }
    }
    faults.extend(in_readme(
        exercise,
        &read(workspace, &exercise.folder().join("README.md"))?,
    ));
    let hints = hints(&read(workspace, &exercise.folder().join("hints.md"))?).len();
    if hints != 3 {
        faults.push(format!(
            "hints.md: three hints are to be there, not {hints}"
        ));
    }
    faults.extend(in_files(workspace, exercise)?);
    Ok(faults)
}

/// The README is to have its sections in order, and to name what the metadata
/// name.
fn in_readme(exercise: &Exercise, readme: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let headings: Vec<_> = readme
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    if headings != SECTIONS {
        faults.push(format!(
            "README.md: its sections are to be {}",
            SECTIONS.join(", ")
        ));
    }
    let title = format!("# {} {}", exercise.number(), exercise.title);
    if readme.lines().next() != Some(&title) {
        faults.push(format!("README.md: its first line is to be `{title}`"));
    }
    let mut wanted = vec![format!("cargo xtask learn check {}", exercise.number())];
    wanted.extend(exercise.claims.iter().cloned());
    wanted.extend(exercise.stage_files.iter().cloned());
    for (test, reason) in &exercise.start_fails {
        wanted.push(test.clone());
        wanted.push(match reason {
            Reason::TimesOut => "times out".to_owned(),
            Reason::Says(text) => text.clone(),
        });
    }
    let missing = wanted.iter().filter(|text| !readme.contains(text.as_str()));
    faults.extend(missing.map(|text| format!("README.md: it does not say `{text}`")));
    faults
}

/// Start and solution are to have the same files, of which the exercise has
/// the start's.
fn in_files(workspace: &Workspace, exercise: &Exercise) -> Result<Vec<String>, Failure> {
    let files = |folder: &Path| {
        let shown = workspace.shown(folder);
        files_in(folder).doing(format_args!("reading {shown}"))
    };
    let (start, solution) = (files(&exercise.start())?, files(&exercise.solution())?);
    let mut faults = Vec::new();
    if start != solution {
        faults.push("its start and its solution do not have the same files".to_owned());
    }
    if exercise.is_edited()? {
        faults.push(
            "it is not as it is at the start: solved (then `learn reset`), or changed by its \
             author (then `exercises seal`)"
                .to_owned(),
        );
    }
    Ok(faults)
}

fn read(workspace: &Workspace, path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).doing(format_args!("reading {}", workspace.shown(path)))
}
