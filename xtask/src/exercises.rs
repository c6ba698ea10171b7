//! `cargo xtask exercises`: for those who write exercises, and for CI.

mod check;
mod form;
mod lint;
mod seal;

use lexopt::Arg::{Long, Short, Value};

use crate::ended::{Ended, Failure};
use crate::screen::Screen;
use crate::workspace::Workspace;

const HELP: &str = "\
Check and prepare exercises. How one is made: exercises/AUTHORING.md. NAME is as in
`cargo xtask learn`; without it, all are meant.

    cargo xtask exercises check [NAME...]   prove both directions: the start fails on the
                                            tests that are named, for the reasons that are
                                            given, and the solution passes
    cargo xtask exercises seal NAME...      take the exercise as it is now as its start

    -h --help  this text
";

pub(crate) fn run(mut arguments: lexopt::Parser, screen: &mut Screen) -> Result<Ended, Failure> {
    let mut words = Vec::new();
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return screen.text(HELP).map(|()| Ended::Well),
            Value(value) => words.push(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    let workspace = Workspace::find()?;
    let Some((command, names)) = words.split_first() else {
        return Err(Failure::Usage("exercises: check or seal?".to_owned()));
    };
    let named = names.iter().map(|name| workspace.exercise(name));
    let named = named.collect::<Result<Vec<_>, _>>()?;
    match command.as_str() {
        "check" if named.is_empty() => {
            let all: Vec<_> = workspace.exercises.iter().collect();
            check::run(&workspace, &all, screen)
        }
        "check" => check::run(&workspace, &named, screen),
        "seal" if named.is_empty() => Err(Failure::Usage("seal which exercise?".to_owned())),
        "seal" => seal::run(&workspace, &named, screen),
        other => Err(Failure::Usage(format!("there is no `exercises {other}`"))),
    }
}
