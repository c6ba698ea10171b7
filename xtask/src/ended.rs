//! How a command ended, and what that is as an exit code.

use std::fmt::Display;
use std::io::Write;
use std::process::ExitCode;

/// How a command ended that could be carried through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// All is well: solved, checked, shown.
    Well,
    /// The answer is no: not solved, or an exercise is not as it should be.
    Unsolved,
}

/// Why a command could not be carried through.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line was not understood.
    Usage(String),
    /// Something was in the way: a file, cargo, the terminal.
    Obstacle(String),
    /// Nobody reads what we write (`| head -1`). No error, and nothing more to do.
    Closed,
}

/// Makes an obstacle of a system's error: what was being done, and what the
/// system says.
pub(crate) trait Doing<T> {
    fn doing(self, what: impl Display) -> Result<T, Failure>;
}

impl<T, E: Display> Doing<T> for Result<T, E> {
    fn doing(self, what: impl Display) -> Result<T, Failure> {
        self.map_err(|error| Failure::Obstacle(format!("{what}: {error}")))
    }
}

impl Failure {
    /// Says it on standard error, if anybody reads that.
    pub(crate) fn tell(&self) {
        let mut stderr = std::io::stderr();
        let _ = match self {
            Failure::Usage(what) => {
                writeln!(stderr, "{what}\n(`cargo xtask --help` shows what there is)")
            }
            Failure::Obstacle(what) => writeln!(stderr, "{what}"),
            Failure::Closed => Ok(()),
        };
    }
}

impl From<lexopt::Error> for Failure {
    fn from(error: lexopt::Error) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> ExitCode {
        match ended {
            Ended::Well => ExitCode::SUCCESS,
            Ended::Unsolved => ExitCode::from(1),
        }
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> ExitCode {
        match failure {
            Failure::Closed => ExitCode::SUCCESS,
            Failure::Usage(_) | Failure::Obstacle(_) => ExitCode::from(2),
        }
    }
}
