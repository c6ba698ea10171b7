//! Who is measured: the stages, each in a process of its own, and any other
//! program that speaks the line protocol (`measure/protocol.rs`).
//!
//! To add one, give its command line once: `--contestant 'go=./go-fetch'`. The
//! lab adds the words of the job behind it, as it does for the stages:
//!
//! ```text
//! job=crowd origins=URL,URL path=/delay/1000/16 n=1000 in-flight=1000 deadline-ms=60000
//! job=home origins=URL times=5
//! ```

mod builtin;
mod chain;
pub(crate) mod hearing;
mod jobs;

use std::process::Command;
use std::time::Duration;

use crate::failure::{Failure, Outcome};
use crate::measure::parameters::Parameters;
use crate::measure::peer::{Peer, myself};
use crate::measure::syscalls;

pub(crate) use builtin::stage;
pub(crate) use jobs::{all_ok, serve};

/// A program under measurement.
#[derive(Debug, Clone)]
pub(crate) struct Contestant {
    /// As in tables and on command lines.
    pub(crate) name: String,
    /// What it is, in a few words.
    pub(crate) what: String,
    program: Program,
}

#[derive(Debug, Clone)]
enum Program {
    /// This program, as `lab contestant NAME`.
    Myself,
    /// Another one, and its first arguments.
    Other(Vec<String>),
}

impl Contestant {
    /// The stages, in their order.
    pub(crate) fn stages() -> Vec<Contestant> {
        let stages = builtin::NAMES.iter().map(|(name, what)| Contestant {
            name: (*name).to_owned(),
            what: (*what).to_owned(),
            program: Program::Myself,
        });
        stages.collect()
    }

    /// One given as `NAME=COMMAND`; the command's words are parted by spaces.
    pub(crate) fn other(text: &str) -> Outcome<Contestant> {
        let wrong = || Failure::new(format!("--contestant {text:?} is not NAME=COMMAND"));
        let (name, command) = text.split_once('=').ok_or_else(wrong)?;
        let words: Vec<_> = command.split_whitespace().map(str::to_owned).collect();
        if name.is_empty() || words.is_empty() {
            return Err(wrong());
        }
        Ok(Contestant {
            name: name.to_owned(),
            what: command.to_owned(),
            program: Program::Other(words),
        })
    }

    /// Starts it with a job, and waits until it is ready.
    pub(crate) fn start(&self, job: &Parameters) -> Outcome<Peer> {
        Peer::start(&self.name, self.command(job)?)
    }

    /// Does a job under strace, and gives what it called.
    pub(crate) fn system_calls(
        &self,
        job: &Parameters,
        limit: Duration,
    ) -> Outcome<syscalls::Calls> {
        let (command, table) = syscalls::counted(&self.command(job)?);
        let ran = Peer::start(&self.name, command).and_then(|peer| peer.run(limit));
        // Also after a failure, so that the table does not stay behind.
        let calls = syscalls::Calls::take(&table);
        ran.and(calls)
    }

    /// Whether it has a thread for each unfinished fetch, and with it the limits
    /// of threads.
    pub(crate) fn needs_threads(&self) -> bool {
        matches!(self.program, Program::Myself) && builtin::needs_threads(&self.name)
    }

    fn command(&self, job: &Parameters) -> Outcome<Command> {
        match &self.program {
            Program::Myself => myself("contestant", &self.name, job),
            Program::Other(words) => {
                let mut command = Command::new(&words[0]);
                command.args(&words[1..]).args(job.words());
                Ok(command)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_under_strace_leaves_no_table_behind() {
        if syscalls::missing().is_some() {
            return;
        }
        let silent = Contestant::other("silent=false").expect("a contestant");
        let (_, table) = syscalls::counted(&Command::new("false"));
        let calls = silent.system_calls(&Parameters::new(), Duration::from_secs(10));
        assert!(calls.is_err());
        assert!(!table.exists(), "{} is left", table.display());
    }
}
