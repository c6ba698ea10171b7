//! The workspace's own commands: `cargo xtask learn` and `cargo xtask fault` for
//! readers, `cargo xtask exercises` and `cargo xtask book` for those who write,
//! and for CI.
//!
//! Read in this order: [`exercise`] (what an exercise is), [`learn`] (what a
//! reader can ask for), [`compile`] and [`trial`] (how its tests are built, and
//! run with a time limit), [`exercises`] (what CI proves of them); and apart from
//! these [`fault`], stages broken on purpose, and [`book`], which makes `docs/` into
//! pages.

mod book;
mod compile;
mod ended;
mod exercise;
mod exercises;
mod fault;
mod learn;
mod mirror;
mod patch;
mod progress;
mod screen;
mod trial;
mod workspace;

use std::process::ExitCode;

use lexopt::Arg::{Long, Short, Value};

use crate::ended::{Ended, Failure};
use crate::screen::Screen;

const HELP: &str = "\
The workspace's own commands.

    cargo xtask learn        work through the exercises
    cargo xtask fault        break a stage on purpose, and see which test notices
    cargo xtask exercises    check and prepare exercises, for those who write them
    cargo xtask book         build the book in both languages, and check it

Each has its own --help.
";

fn main() -> ExitCode {
    match run() {
        Ok(ended) => ended.into(),
        Err(failure) => {
            failure.tell();
            failure.into()
        }
    }
}

fn run() -> Result<Ended, Failure> {
    let mut arguments = lexopt::Parser::from_env();
    let mut screen = Screen::stdout();
    match arguments.next()? {
        Some(Value(command)) if command == "learn" => learn::run(arguments, &mut screen),
        Some(Value(command)) if command == "fault" => fault::run(arguments, &mut screen),
        Some(Value(command)) if command == "exercises" => exercises::run(arguments, &mut screen),
        Some(Value(command)) if command == "book" => book::run(arguments, &mut screen),
        Some(Short('h') | Long("help")) => screen.text(HELP).map(|()| Ended::Well),
        Some(other) => Err(other.unexpected().into()),
        None => Err(Failure::Usage("a command is missing".to_owned())),
    }
}
