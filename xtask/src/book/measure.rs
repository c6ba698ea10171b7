//! `cargo xtask book record`: runs the commands of [`record`](super::record)s again.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::ended::{Doing, Ended, Failure};
use crate::screen::{Screen, progress};
use crate::workspace::Workspace;

use super::files::write_text;
use super::page::read;

/// Writes down what the commands print now; without `names`, of all records.
pub(crate) fn run(
    workspace: &Workspace,
    names: &[String],
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let folder = workspace.root.join("docs/figures");
    let names = match names {
        [] => all(&folder)?,
        named => named.to_vec(),
    };
    for name in names {
        let path = folder.join(format!("{name}.txt"));
        let text = read(&path)?;
        let command = text.lines().next().and_then(|line| line.strip_prefix("$ "));
        let Some(command) = command else {
            let what = format!("{}: its first line must be `$ command`", path.display());
            return Err(Failure::Obstacle(what));
        };
        progress(command);
        let shell = Command::new("bash")
            .args(["-c", command])
            .current_dir(&workspace.root)
            .output();
        let output = shell.doing(format!("starting {command}"))?;
        if !output.status.success() {
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::Obstacle(format!(
                "{command}: {}\n{why}",
                output.status
            )));
        }
        let printed = String::from_utf8_lossy(&output.stdout);
        let record = format!("$ {command}\n# {}\n{printed}", made()?);
        write_text(&path, &record)?;
        screen.line(path.display())?;
    }
    Ok(Ended::Well)
}

fn all(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).doing(format!("reading {}", folder.display()))? {
        let path = entry.doing(format!("reading {}", folder.display()))?.path();
        let is_record = path.extension().is_some_and(|extension| extension == "txt");
        if let Some(name) = path.file_stem().filter(|_| is_record) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Today, and this machine.
fn made() -> Result<String, Failure> {
    let date = Command::new("date")
        .arg("+%F")
        .output()
        .doing("asking `date`")?;
    let date = String::from_utf8_lossy(&date.stdout).trim().to_owned();
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(format!(
        "{date}, {system} {machine}, {processors} processors"
    ))
}
