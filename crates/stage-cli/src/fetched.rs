//! One fetch and what came of it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use fetch_core::{FetchError, Response};

use crate::ended::{Ended, Failure};

/// One fetch: what was asked for, and what came of it.
pub(crate) struct Fetched<'a> {
    /// Its place in the output.
    pub(crate) index: usize,
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) result: Result<Response, FetchError>,
    /// Zero for one that never started.
    pub(crate) elapsed: Duration,
}

/// The end of every run: saves the bodies, if a directory is given, and looks
/// whether all was fetched.
pub(crate) fn finish(fetched: &[Fetched], save: Option<&Path>) -> Result<Ended, Failure> {
    if let Some(directory) = save {
        save_bodies(fetched, directory)?;
    }
    if fetched.iter().all(|one| one.result.is_ok()) {
        Ok(Ended::AllFetched)
    } else {
        Ok(Ended::SomeFailed)
    }
}

/// `--save`: the bodies, each in a file of its own.
fn save_bodies(fetched: &[Fetched], directory: &Path) -> Result<(), Failure> {
    for one in fetched {
        if let Ok(response) = &one.result {
            let path = directory.join(format!("{}.body", one.index));
            fs::write(&path, response.body())
                .map_err(|error| Failure::system(format!("writing {}", path.display()), error))?;
        }
    }
    Ok(())
}

/// The contract is one result a request; a stage under construction may not
/// keep it, and should hear of it.
pub(crate) fn no_answer() -> FetchError {
    FetchError::Io {
        reason: "the stage gave no result for this request".to_owned(),
    }
}
