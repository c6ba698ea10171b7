//! The command line, read and checked before anything is fetched.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use bytes::Bytes;
use fetch_core::{OnError, Options};
use lexopt::{Arg, Parser};

use crate::values::{data, field, number, seconds, text};
use crate::{OwnOption, OwnValues, help};

/// All requests and responses of a run are in memory at once: a response, with its
/// request, takes one to two KiB from most stages, and about 25 KiB from reqwest. So
/// this many are a few hundred MiB, or more than one GiB.
const MOST_FETCHES: usize = 100_000;

/// What the command line asks for.
pub(crate) enum Command {
    Help,
    Version,
    Run(Box<Args>),
}

/// One run.
#[derive(Debug, Default)]
pub(crate) struct Args {
    /// As given. None: the default run.
    pub(crate) urls: Vec<String>,
    method: Option<String>,
    fields: Vec<(Vec<u8>, Vec<u8>)>,
    data: Option<Bytes>,
    pub(crate) options: Options,
    repeat: Option<usize>,
    pub(crate) json: bool,
    pub(crate) save: Option<PathBuf>,
    pub(crate) trace: bool,
    pub(crate) origin: Option<String>,
    pub(crate) own: OwnValues,
    /// An option that was given and says nothing without a URL.
    needs_url: Option<&'static str>,
}

/// Reads the command line.
///
/// # Errors
///
/// What is wrong with it, for the person who typed it.
pub(crate) fn parse(own: &'static [OwnOption], mut parser: Parser) -> Result<Command, String> {
    let mut args = Args::default();
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Short('V') | Arg::Long("version") => return Ok(Command::Version),
            Arg::Short(letter) => return Err(format!("unknown option -{letter}")),
            Arg::Long(name) => {
                let name = name.to_owned();
                args.take(&name, own, &mut parser)?;
            }
            Arg::Value(url) => args.urls.push(text("a URL", url)?),
        }
    }
    args.check()?;
    Ok(Command::Run(Box::new(args)))
}

impl Args {
    /// GET, or POST if there is something to send.
    pub(crate) fn method(&self) -> &str {
        let default = if self.data.is_some() { "POST" } else { "GET" };
        self.method.as_deref().unwrap_or(default)
    }

    /// The caller's own fields, as name and value.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        let fields = self.fields.iter();
        fields.map(|(name, value)| (name.as_slice(), value.as_slice()))
    }

    /// The body to send; empty if there is none.
    pub(crate) fn data(&self) -> Bytes {
        self.data.clone().unwrap_or_default()
    }

    /// How many fetches the run makes, if it has URLs.
    pub(crate) fn fetches(&self) -> usize {
        self.urls.len().saturating_mul(self.repeat.unwrap_or(1))
    }

    /// Whether anything is fetched from the origin server.
    pub(crate) fn uses_origin(&self) -> bool {
        self.urls.is_empty() || self.urls.iter().any(|url| url.starts_with('/'))
    }

    fn take(
        &mut self,
        name: &str,
        own: &'static [OwnOption],
        parser: &mut Parser,
    ) -> Result<(), String> {
        let Some(option) = help::OPTIONS.iter().chain(own).find(|o| o.name == name) else {
            return Err(unknown(name, own));
        };
        let value = if option.value.is_empty() {
            OsString::new()
        } else {
            parser
                .value()
                .map_err(|_| format!("--{name} needs a value: --{name} {}", option.value))?
        };
        match name {
            "method" => self.method = Some(text("--method", value)?),
            "header" => self.fields.push(field(&value)?),
            "data" => self.data = Some(data(&value)?),
            "max-in-flight" => {
                self.options.max_in_flight = number::<NonZeroUsize>(name, value, "1 or more")?;
            }
            "deadline" => self.options.deadline = seconds(value)?,
            "max-body" => self.options.max_body_bytes = number(name, value, "a number of bytes")?,
            "cancel-others" => self.options.on_error = OnError::CancelOthers,
            "repeat" => {
                let repeat: NonZeroUsize = number(name, value, "1 or more")?;
                self.repeat = Some(repeat.get());
            }
            "json" => self.json = true,
            // Of an empty name the current directory would be made, which nobody means.
            "save" if value.is_empty() => {
                return Err("--save needs the name of a directory: --save DIR".to_owned());
            }
            "save" => self.save = Some(value.into()),
            "trace" => self.trace = true,
            "origin" => self.origin = Some(text("--origin", value)?),
            _ => {
                let value = text(&format!("--{name}"), value)?;
                self.own.0.push((option.name, value));
            }
        }
        if help::NEED_URL.contains(&name) {
            self.needs_url = Some(option.name);
        }
        Ok(())
    }

    /// What only the whole command line can tell.
    fn check(&self) -> Result<(), String> {
        if let (true, Some(name)) = (self.urls.is_empty(), self.needs_url) {
            return Err(format!(
                "--{name} needs a URL, such as /delay/100/16: without one, the default run fetches \
                 its own two pages"
            ));
        }
        if self.fetches() > MOST_FETCHES {
            return Err(format!(
                "that would be {} fetches, and {MOST_FETCHES} are the most in one run, since all \
                 responses are kept until its end: lower --repeat, and run more than once",
                self.fetches()
            ));
        }
        Ok(())
    }
}

fn unknown(name: &str, own: &[OwnOption]) -> String {
    let known = help::OPTIONS.iter().chain(own).map(|option| option.name);
    let nearest = known
        .chain(["help", "version"])
        .map(|known| (edits(name, known), known))
        .min();
    match nearest {
        // A third of the letters may be wrong before it is another word.
        Some((edits, known)) if edits * 3 <= known.len().max(6) => {
            format!("unknown option --{name}: did you mean --{known}?")
        }
        _ => format!("unknown option --{name}"),
    }
}

/// How many letters to insert, drop or replace to get from one to the other
/// (Levenshtein's distance, one row of the table at a time).
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn run(args: &[&str]) -> Box<Args> {
        match parse(&[], Parser::from_args(args)) {
            Ok(Command::Run(args)) => args,
            Ok(_) => panic!("{args:?}: help or version"),
            Err(message) => panic!("{args:?}: {message}"),
        }
    }

    #[test]
    fn options_reach_the_stage() {
        let args = run(&[
            "--cancel-others",
            "--deadline",
            "2.5",
            "/a",
            "--max-in-flight=7",
        ]);
        assert_eq!(args.options.on_error, OnError::CancelOthers);
        assert_eq!(args.options.deadline, Duration::from_millis(2500));
        assert_eq!(args.options.max_in_flight.get(), 7);
        assert_eq!(run(&["/a"]).options.on_error, OnError::Finish);
    }

    #[test]
    fn after_two_dashes_all_are_urls() {
        assert_eq!(run(&["/a", "--", "--json"]).urls, ["/a", "--json"]);
    }
}
