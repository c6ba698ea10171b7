//! The lab: every claim of the articles as an experiment, one command each.
//!
//! ```text
//! cargo run --release -p lab -- list          the experiments and their claims
//! cargo run --release -p lab -- scoreboard    one of them
//! cargo run --release -p lab -- all           all, into target/lab/
//! cargo run --release -p lab -- timeline      one run of each stage, as a page
//! ```
//!
//! The program plays several parts. What a reader starts is the lab; it starts
//! itself again as the origin server, as each stage under measurement, and as
//! the subject of some experiments, so that each has a process, and with it its
//! memory and its processor time, to itself.
//!
//! Read in this order: `measure` (how), `contestants` (whom), `experiments`
//! (what), `report` (what comes of it), `timeline`.

mod cli;
mod contestants;
mod experiments;
mod failure;
mod lab;
mod measure;
mod report;
mod timeline;

use std::process::ExitCode;

use counting_alloc::CountingAlloc;

use crate::cli::Part;
use crate::failure::{During, Outcome};

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

fn main() -> ExitCode {
    let part = match cli::parse(lexopt::Parser::from_env()) {
        Ok(part) => part,
        Err(error) => {
            eprintln!("lab: {error}; try --help");
            return ExitCode::from(2);
        }
    };
    match play(part) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("lab: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn play(part: Part) -> Outcome<()> {
    match part {
        Part::Help => print(cli::HELP),
        Part::List => print(&experiments::list()),
        Part::Experiment(experiment, settings) => experiments::run_one(experiment, settings),
        Part::All(settings) => experiments::run_all(settings),
        Part::Timeline(wanted) => timeline::run(&wanted),
        Part::Contestant(name, parameters) => contestants::serve(&name, &parameters),
        Part::Subject(name, parameters) => experiments::serve(&name, &parameters),
        Part::Origin => measure::origin::serve(),
    }
}

/// Prints. Whoever closed our output (`| head -1`) wants to hear no more, and
/// that is no failure; a full disk is one.
fn print(text: &str) -> Outcome<()> {
    use std::io::{ErrorKind, Write};
    let mut stdout = std::io::stdout().lock();
    let printed = stdout.write_all(text.as_bytes());
    match printed.and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).during("printing"),
        _ => Ok(()),
    }
}
