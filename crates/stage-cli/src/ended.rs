//! How a run ended, and what that is as an exit code.

use std::fmt;
use std::io;
use std::process::ExitCode;

/// How a run ended that could be carried through.
pub(crate) enum Ended {
    AllFetched,
    SomeFailed,
}

/// Why a run could not be carried through.
pub(crate) enum Failure {
    /// The command line was not understood.
    Usage(String),
    /// Something on this machine was in the way.
    System { doing: String, error: io::Error },
}

impl From<Ended> for ExitCode {
    fn from(ended: Ended) -> ExitCode {
        match ended {
            Ended::AllFetched => ExitCode::SUCCESS,
            Ended::SomeFailed => ExitCode::from(1),
        }
    }
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> ExitCode {
        match failure {
            Failure::System { .. } => ExitCode::from(1),
            Failure::Usage(_) => ExitCode::from(2),
        }
    }
}

impl Failure {
    pub(crate) fn system(doing: impl Into<String>, error: io::Error) -> Failure {
        let doing = doing.into();
        Failure::System { doing, error }
    }
}

/// Results are the only thing written with `?`; a reader that went away is no
/// error (see [`Screen`]).
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::system("writing the results", error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(message) => write!(f, "{message}\n(--help shows all options)"),
            Failure::System { doing, error } => write!(f, "{doing} failed: {error}"),
        }
    }
}
