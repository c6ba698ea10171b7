//! What clippy and rustfmt say of the solutions.

use std::io;
use std::process::{Command, Stdio};

use crate::ended::{Doing, Failure};
use crate::exercise::Exercise;
use crate::mirror::Mirror;
use crate::workspace::cargo;

/// Whether clippy and rustfmt have nothing to say of the solutions. What they
/// do say goes to standard error.
pub(super) fn are_tidy(mirror: &Mirror, exercises: &[&Exercise]) -> Result<bool, Failure> {
    let packages = exercises.iter().flat_map(|e| ["--package", &e.package]);
    let mut clippy = cargo();
    clippy.args([
        "clippy",
        "--tests",
        "--keep-going",
        "--quiet",
        "--target-dir",
    ]);
    clippy
        .arg(&mirror.target)
        .args(packages.clone())
        .args(["--", "-D", "warnings"]);
    let mut format = cargo();
    format
        .args(["fmt", "--check"])
        .args(packages)
        .args(["--", "--color", "never"]);
    let mut tidy = true;
    for command in [&mut clippy, &mut format] {
        tidy &= succeeds(command.current_dir(&mirror.root))?;
    }
    Ok(tidy)
}

fn succeeds(command: &mut Command) -> Result<bool, Failure> {
    let status = command.stdin(Stdio::null()).stdout(io::stderr()).status();
    Ok(status.doing("starting cargo")?.success())
}
