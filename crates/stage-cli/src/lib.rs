//! The one command line and terminal output that all stages share.
//!
//! A stage's whole `main.rs`:
//!
//! ```no_run
//! # use bytes::Bytes;
//! # use fetch_core::{FetchError, Home, Options, Request, Response, Stage};
//! # struct BlockingThreads;
//! # impl Stage for BlockingThreads {
//! #     fn fetch_all(&self, _: Vec<Request>, _: &Options) -> Vec<Result<Response, FetchError>> { vec![] }
//! #     fn load_home(&self, _: &str, _: u64, _: &Options) -> Result<Home, FetchError> { Err(FetchError::Cancelled) }
//! # }
//! use std::process::ExitCode;
//! use stage_cli::About;
//!
//! const ABOUT: About = About {
//!     name: env!("CARGO_PKG_NAME"),
//!     title: "A thread a fetch",
//!     where_it_stopped: "On the stack of the fetch's own thread, inside a call to read.",
//!     who_continues: "The kernel: it puts the thread back on a processor when bytes are there.",
//!     own_options: &[],
//! };
//!
//! fn main() -> ExitCode {
//!     stage_cli::main(&ABOUT, |_| Ok(BlockingThreads))
//! }
//! ```
//!
//! Results go to standard output, everything else to standard error. The exit
//! code is 0 if all was fetched, 1 if something was not, 2 if the command line
//! was not understood.
//!
//! fetch-core has no clock and a [`Stage`] returns no times, so all times shown
//! here are those of the events in [`fetch_core::wait`]: a fetch lasts from
//! `started` to `finished`.
//!
//! Read in this order: this file, `args.rs` (the command line), `home.rs` (the
//! default run), `list.rs` (URLs), `record.rs` (who hears the events) and
//! `lanes.rs` (`--trace`); the rest is how things look.

mod args;
mod ended;
mod fetched;
mod help;
mod home;
mod json;
mod lanes;
mod list;
mod meter;
mod record;
mod report;
mod screen;
mod story;
mod values;

use std::io::Write;
use std::process::ExitCode;

use fetch_core::Stage;
use origin::{Config, Origin};

use args::{Args, Command};
use ended::{Ended, Failure};
use meter::Meter;
use screen::Screen;

/// What a stage says of itself.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// The program's name, such as `stage1-blocking-threads`.
    pub name: &'static str,
    /// What the stage is, in one line.
    pub title: &'static str,
    /// The stage's answer to "Where did the work stop?".
    pub where_it_stopped: &'static str,
    /// The stage's answer to "Who makes it continue?".
    pub who_continues: &'static str,
    /// Options that only this stage has.
    pub own_options: &'static [OwnOption],
}

/// An option of the command line, `--name value`.
#[derive(Debug, Clone, Copy)]
pub struct OwnOption {
    /// Without the dashes, such as `client`. One of the shared names (see
    /// `--help`) would never be reached.
    pub name: &'static str,
    /// How the value is written in `--help`, such as `hand|reqwest`; empty for
    /// an option that takes none.
    pub value: &'static str,
    /// What it does, in a few words.
    pub help: &'static str,
}

/// The stage's own options that were given.
#[derive(Debug, Clone, Default)]
pub struct OwnValues(Vec<(&'static str, String)>);

impl OwnValues {
    /// The value of `--name`; the last, if it was given more than once. Empty
    /// for an option that takes none.
    pub fn get(&self, name: &str) -> Option<&str> {
        let given = self.0.iter().rev().find(|(own, _)| *own == name);
        given.map(|(_, value)| value.as_str())
    }
}

/// The whole program of a stage: reads the command line, runs what it asks for
/// and prints what came of it.
///
/// `make` builds the stage. What it returns as an error is a mistake on the
/// command line (exit code 2), such as a value that an own option does not
/// have.
pub fn main<S: Stage>(
    about: &About,
    make: impl FnOnce(&OwnValues) -> Result<S, String>,
) -> ExitCode {
    let mut notes = Screen::stderr();
    let ended = args::parse(about.own_options, lexopt::Parser::from_env())
        .map_err(Failure::Usage)
        .and_then(|command| match command {
            Command::Help => print(&help::text(about)),
            Command::Version => print(&help::version(about)),
            Command::Run(args) => {
                let stage = make(&args.own).map_err(Failure::Usage)?;
                run(about, &stage, &args, &mut notes)
            }
        });
    match ended {
        Ok(ended) => ended.into(),
        Err(failure) => {
            notes.say(&format!("{}: {failure}", about.name));
            failure.into()
        }
    }
}

/// What the parts of a run need of each other.
struct Session<'a> {
    about: &'a About,
    stage: &'a dyn Stage,
    args: &'a Args,
    /// The origin's URL without a path, if anything is fetched from it.
    origin: Option<String>,
    meter: Meter,
}

fn run(
    about: &About,
    stage: &dyn Stage,
    args: &Args,
    notes: &mut Screen,
) -> Result<Ended, Failure> {
    // A crowd needs a descriptor a fetch. Where the limit cannot be raised, the
    // fetches beyond it fail with `resources`, which says what to do.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    if let Some(directory) = &args.save {
        std::fs::create_dir_all(directory)
            .map_err(|error| Failure::system(format!("creating {}", directory.display()), error))?;
    }
    let embedded = match (&args.origin, args.uses_origin()) {
        (None, true) => Some(
            Origin::start(Config::default())
                .map_err(|error| Failure::system("starting the origin server", error))?,
        ),
        _ => None,
    };
    let session = Session {
        about,
        stage,
        args,
        origin: match &embedded {
            Some(embedded) => Some(embedded.url("")),
            None => args.origin.clone(),
        },
        meter: Meter::start(args.trace, embedded.is_some()),
    };

    let mut results = Screen::stdout();
    if args.urls.is_empty() {
        home::run(&session, &mut results, notes)
    } else {
        list::run(&session, &mut results, notes)
    }
}

impl Session<'_> {
    /// A URL as given, or behind the origin's if it is only a path.
    fn whole_url(&self, url: &str) -> String {
        match &self.origin {
            Some(origin) if url.starts_with('/') => {
                format!("{}{url}", origin.trim_end_matches('/'))
            }
            _ => url.to_owned(),
        }
    }
}

fn print(text: &str) -> Result<Ended, Failure> {
    let mut results = Screen::stdout();
    results.write_all(text.as_bytes())?;
    results.flush()?;
    Ok(Ended::AllFetched)
}
