//! What an experiment is given: its settings, whom to measure, and a way to say
//! how far it has come.

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::contestants::Contestant;

/// What the command line says.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) n: Option<usize>,
    pub(crate) runs: Option<usize>,
    pub(crate) seconds: Option<f64>,
    pub(crate) json: bool,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) out: PathBuf,
    pub(crate) others: Vec<Contestant>,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            n: None,
            runs: None,
            seconds: None,
            json: false,
            svg: None,
            out: PathBuf::from("target/lab"),
            others: Vec::new(),
        }
    }
}

/// An experiment's surroundings.
pub(crate) struct Lab {
    settings: Settings,
    /// On standard error, and only if that is a terminal.
    progress: ProgressBar,
    /// What has been said to the reader beforehand; it goes into the report, too.
    warnings: RefCell<Vec<String>>,
}

impl Lab {
    pub(crate) fn new(name: &str, settings: Settings) -> Self {
        let progress = ProgressBar::new_spinner();
        let style = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {msg}");
        progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        progress.set_prefix(name.to_owned());
        progress.enable_steady_tick(Duration::from_millis(200));
        Lab {
            settings,
            progress,
            warnings: RefCell::default(),
        }
    }

    pub(crate) fn n(&self, default: usize) -> usize {
        self.settings.n.unwrap_or(default)
    }

    pub(crate) fn runs(&self, default: usize) -> usize {
        self.settings.runs.unwrap_or(default)
    }

    pub(crate) fn seconds(&self, default: f64) -> f64 {
        self.settings.seconds.unwrap_or(default)
    }

    /// The stages, and whoever else was named on the command line.
    pub(crate) fn contestants(&self) -> Vec<Contestant> {
        let mut all = Contestant::stages();
        all.extend(self.settings.others.iter().cloned());
        all
    }

    /// What is being done just now.
    pub(crate) fn doing(&self, what: &str) {
        self.progress.set_message(what.to_owned());
    }

    /// Says something that the reader must know before the result.
    pub(crate) fn warn(&self, text: &str) {
        let mut warnings = self.warnings.borrow_mut();
        if !warnings.iter().any(|said| said == text) {
            self.progress.suspend(|| eprintln!("lab: {text}"));
            warnings.push(text.to_owned());
        }
    }

    /// What was said, for the report's notes.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.warnings.take()
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}
