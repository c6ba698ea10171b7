//! `cargo xtask fault`: stages broken on purpose, to see which test notices.
//!
//! A fault is a patch in `exercises/faults`. Its first line names it; a line
//! "Caught by: cargo test -p PACKAGE --test FILE NAME" says which test notices.

mod check;

use std::fs;
use std::path::Path;

use lexopt::Arg::{Long, Short, Value};

use crate::ended::{Doing, Ended, Failure};
use crate::patch::{Patch, Shows};
use crate::screen::Screen;
use crate::workspace::Workspace;

const HELP: &str = "\
Break a stage on purpose, in one line, and see which test notices.

    cargo xtask fault list        the faults
    cargo xtask fault apply N     put fault N into the stage; says which test notices
    cargo xtask fault revert      take it out again; nothing else in the file changes
    cargo xtask fault check       prove, on a copy, that each fault is noticed

    -h --help  this text
";

/// A fault, as its file describes it.
struct Fault {
    number: u32,
    title: String,
    /// All that stands before the patch.
    story: String,
    patch: Patch,
    package: String,
    /// The file of the test that notices, and its name.
    test: (String, String),
}

pub(crate) fn run(mut arguments: lexopt::Parser, screen: &mut Screen) -> Result<Ended, Failure> {
    let mut words = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return screen.text(HELP).map(|()| Ended::Well),
            Value(value) => words.push(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    let workspace = Workspace::find()?;
    let faults = all(&workspace.root)?;
    match words[..] {
        ["list"] => list(&workspace, &faults, screen),
        ["apply", number] => {
            let number = number.parse();
            let fault = faults.iter().find(|fault| number == Ok(fault.number));
            let unknown = || Failure::Usage("which fault? `cargo xtask fault list`".to_owned());
            apply(&workspace, &faults, fault.ok_or_else(unknown)?, screen)
        }
        ["revert"] => revert(&workspace, &faults, screen),
        ["check"] => check::run(&workspace, &faults, screen),
        _ => Err(Failure::Usage(
            "fault: list, apply N, revert or check?".to_owned(),
        )),
    }
}

fn list(workspace: &Workspace, faults: &[Fault], screen: &mut Screen) -> Result<Ended, Failure> {
    for fault in faults {
        let word = match fault.patch.shows(&workspace.root)? {
            Some(Shows::Old) => "",
            Some(Shows::New) => " (it is in there now)",
            None => " (its place has changed, and is not found)",
        };
        let Fault {
            number,
            title,
            package,
            ..
        } = fault;
        screen.line(format_args!("{number:>2}  {package}: {title}{word}"))?;
    }
    Ok(Ended::Well)
}

fn apply(
    workspace: &Workspace,
    faults: &[Fault],
    fault: &Fault,
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    for other in faults {
        if other.patch.shows(&workspace.root)? == Some(Shows::New) {
            let what = format!(
                "fault {} is in there; first `cargo xtask fault revert`",
                other.number
            );
            return Err(Failure::Obstacle(what));
        }
    }
    if fault.patch.shows(&workspace.root)? != Some(Shows::Old) {
        let file = &fault.patch.file;
        return Err(Failure::Obstacle(format!(
            "{file} has changed: the place is not found"
        )));
    }
    fault.patch.turn(&workspace.root, Shows::Old)?;
    screen.line(fault.story.trim_end())?;
    screen.line(format_args!("\nThe fault is in {} now.", fault.patch.file))?;
    screen.line("Out again: cargo xtask fault revert")?;
    Ok(Ended::Well)
}

fn revert(workspace: &Workspace, faults: &[Fault], screen: &mut Screen) -> Result<Ended, Failure> {
    for fault in faults {
        if fault.patch.shows(&workspace.root)? == Some(Shows::New) {
            fault.patch.turn(&workspace.root, Shows::New)?;
            let (number, file) = (fault.number, &fault.patch.file);
            screen.line(format_args!("fault {number} is out of {file}"))?;
            return Ok(Ended::Well);
        }
    }
    screen.line("no fault is in there")?;
    Ok(Ended::Well)
}

/// All faults, in order.
fn all(root: &Path) -> Result<Vec<Fault>, Failure> {
    let mut faults = Vec::new();
    let folder = root.join("exercises").join("faults");
    for entry in fs::read_dir(folder).doing("reading exercises/faults")? {
        let path = entry.doing("reading exercises/faults")?.path();
        if path
            .extension()
            .is_none_or(|extension| extension != "patch")
        {
            continue;
        }
        let shown = path.display();
        let text = fs::read_to_string(&path).doing(format_args!("reading {shown}"))?;
        let name = path.file_name().and_then(|name| name.to_str());
        let fault = name.and_then(|name| Fault::parse(name, &text));
        faults.push(fault.ok_or_else(|| {
            Failure::Obstacle(format!(
                "{shown} is not a fault as exercises/AUTHORING.md says"
            ))
        })?);
    }
    faults.sort_by_key(|fault| fault.number);
    Ok(faults)
}

impl Fault {
    /// `name`: `3_do_not_wake.patch`.
    fn parse(name: &str, text: &str) -> Option<Fault> {
        let (story, _) = text.split_once("--- a/")?;
        let caught = "Caught by: cargo test -p ";
        let caught = story.lines().find_map(|line| line.strip_prefix(caught))?;
        let (package, test) = caught.split_once(" --test ")?;
        let (file, test) = test.split_once(' ')?;
        Some(Fault {
            number: name.split_once('_')?.0.parse().ok()?,
            title: text.lines().next()?.to_owned(),
            story: story.to_owned(),
            patch: Patch::parse(text)?,
            package: package.to_owned(),
            test: (file.to_owned(), test.to_owned()),
        })
    }
}
