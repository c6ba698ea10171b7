//! mdBook, in the version that this book is made with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::ended::{Doing, Failure};
use crate::screen::progress;
use crate::workspace::{Workspace, cargo};

use super::Complaints;
use super::page::Language;

/// Pinned: a new version may render otherwise.
const VERSION: &str = "0.5.4";

/// The program.
#[derive(Debug)]
pub(crate) struct Mdbook {
    program: PathBuf,
}

/// The one in `target/tools`, or the one on the path; if neither is there in the
/// right version, it is built, which takes minutes, once.
pub(crate) fn find(workspace: &Workspace) -> Result<Mdbook, Failure> {
    let tools = workspace.target.join("tools");
    let ours = tools
        .join("bin")
        .join(format!("mdbook{}", std::env::consts::EXE_SUFFIX));
    for program in [ours.clone(), PathBuf::from("mdbook")] {
        if is_right(&program) {
            return Ok(Mdbook { program });
        }
    }
    progress(format!(
        "building mdbook {VERSION} into {}, once",
        tools.display()
    ));
    // Without the parts that watch, serve and search. Not quiet: it takes minutes, and
    // cargo shows how far it has come.
    let status = cargo()
        .args(["install", "mdbook", "--locked", "--no-default-features"])
        .arg(format!("--version={VERSION}"))
        .arg("--root")
        .arg(&tools)
        .arg("--target-dir")
        .arg(tools.join("build"))
        .env("PATH", path_with(&tools.join("bin"))?)
        .status()
        .doing("starting cargo")?;
    match status.success() {
        true => Ok(Mdbook { program: ours }),
        false => Err(Failure::Obstacle(format!(
            "mdbook {VERSION} could not be built"
        ))),
    }
}

/// The path with `folder` behind all else. Without it cargo would advise the reader to
/// put `target/tools/bin` there.
fn path_with(folder: &Path) -> Result<OsString, Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([folder.to_owned()]);
    std::env::join_paths(folders).doing("adding to the PATH")
}

fn is_right(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output();
    output.is_ok_and(|output| {
        let says = String::from_utf8_lossy(&output.stdout).into_owned();
        says.trim().trim_start_matches("mdbook v") == VERSION
    })
}

impl Mdbook {
    /// Builds the book in `source` into `out`. A warning is a complaint.
    pub(crate) fn build(&self, source: &Path, out: &Path) -> Result<Complaints, Failure> {
        let output = Command::new(&self.program)
            .arg("build")
            .arg(source)
            .arg("--dest-dir")
            .arg(out)
            .output()
            .doing("starting mdbook")?;
        let says = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(Failure::Obstacle(format!("mdbook has failed:\n{says}")));
        }
        let warnings = says
            .lines()
            .filter(|line| line.contains("WARN") || line.contains("ERROR"));
        Ok(warnings.map(str::to_owned).collect())
    }
}

/// `book.toml`. The default preprocessors are off: all that they do is done here
/// before, and they would read directives into the code that is shown.
pub(crate) fn settings(language: Language) -> String {
    let title = match language {
        Language::English => "Five Ways to Wait",
        Language::Chinese => "等待的五种写法",
    };
    let code = language.code();
    format!(
        "\
[book]
title = \"{title}\"
language = \"{code}\"
src = \"src\"

[build]
create-missing = false
use-default-preprocessors = false

[output.html]
additional-css = [\"book.css\"]
input-404 = \"\"
smart-punctuation = false

[output.html.print]
enable = false

[output.html.playground]
runnable = false
"
    )
}
