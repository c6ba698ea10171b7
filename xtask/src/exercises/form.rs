//! What can be checked of an exercise without building it: that it is complete,
//! and that its parts agree with each other.

use std::fs;
use std::io;
use std::path::Path;

use crate::ended::{Doing, Failure};
use crate::exercise::{Exercise, Reason, files_in};
use crate::learn::hints;
use crate::workspace::Workspace;

/// What every README in one language has.
struct Readme {
    name: &'static str,
    /// Whether the title is the one in Cargo.toml, which `learn` shows.
    titled: bool,
    /// The headings, in order.
    sections: [&'static str; 6],
    /// The way to the other one.
    switch: &'static str,
    times_out: &'static str,
}

const READMES: [Readme; 2] = [
    Readme {
        name: "README.md",
        titled: true,
        sections: [
            "## What you learn",
            "## The two questions",
            "## Predict",
            "## Your part",
            "## Passing",
            "## In the stages",
        ],
        switch: "[中文](README.zh.md)",
        times_out: "times out",
    },
    Readme {
        name: "README.zh.md",
        titled: false,
        sections: [
            "## 你将学到",
            "## 两个问题",
            "## 先预测",
            "## 你要做的",
            "## 怎样算通过",
            "## 在各阶段里",
        ],
        switch: "[English](README.md)",
        times_out: "超时",
    },
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
    for readme in &READMES {
        match read(workspace, exercise, readme.name)? {
            Some(text) => faults.extend(in_readme(exercise, readme, &text)),
            None => faults.push(format!("{}: it is not there", readme.name)),
        }
    }
    let hints = read(workspace, exercise, "hints.md")?.map_or(0, |text| hints(&text).len());
    if hints != 3 {
        faults.push(format!(
            "hints.md: three hints are to be there, not {hints}"
        ));
    }
    faults.extend(in_files(workspace, exercise)?);
    Ok(faults)
}

/// A README is to have its sections in order, and to name what the metadata
/// name.
fn in_readme(exercise: &Exercise, readme: &Readme, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let headings = text.lines().filter(|line| line.starts_with("## "));
    if !headings.eq(readme.sections) {
        let sections = readme.sections.join(", ");
        faults.push(format!("its sections are to be {sections}"));
    }
    let number = exercise.number();
    let title = match readme.titled {
        true => format!("# {number} {}\n", exercise.title),
        false => format!("# {number} "),
    };
    if !text.starts_with(&title) {
        faults.push(format!("it is to begin with `{}`", title.trim_end()));
    }
    let mut wanted = vec![
        readme.switch.to_owned(),
        format!("cargo xtask learn check {number}"),
    ];
    wanted.extend(exercise.claims.iter().cloned());
    wanted.extend(exercise.stage_files.iter().cloned());
    for (test, reason) in &exercise.start_fails {
        wanted.push(test.clone());
        wanted.push(match reason {
            Reason::TimesOut => readme.times_out.to_owned(),
            Reason::Says(text) => text.clone(),
        });
    }
    let missing = wanted.iter().filter(|words| !text.contains(words.as_str()));
    faults.extend(missing.map(|words| format!("it does not say `{words}`")));
    let faults = faults.into_iter();
    faults
        .map(|fault| format!("{}: {fault}", readme.name))
        .collect()
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

/// A file of the exercise; none, if it is not there.
fn read(workspace: &Workspace, exercise: &Exercise, name: &str) -> Result<Option<String>, Failure> {
    let path = exercise.folder().join(name);
    match fs::read_to_string(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => {
            let text = read.doing(format_args!("reading {}", workspace.shown(&path)))?;
            Ok(Some(text))
        }
    }
}
