//! The command line, read and checked before anything is fetched.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use bytes::Bytes;
use fetch_core::{OnError, Options};
use lexopt::{Arg, Parser};

use crate::{OwnOption, OwnValues, help};

/// All requests and responses of a run are in memory at once, at one to two
/// kilobytes each: this many are a few hundred megabytes.
const MOST_FETCHES: usize = 100_000;

/// So that `--data @/dev/zero` is a mistake and not the end of the machine.
const LARGEST_DATA: u64 = 256 * 1024 * 1024;

/// What the command line asks for.
pub(crate) enum Command {
    Help,
    Version,
    Run(Args),
}

/// One run.
#[derive(Debug, Default)]
pub(crate) struct Args {
    /// As given. None: the default run.
    pub(crate) urls: Vec<String>,
    method: Option<String>,
    pub(crate) fields: Vec<(Vec<u8>, Vec<u8>)>,
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
    Ok(Command::Run(args))
}

impl Args {
    /// GET, or POST if there is something to send.
    pub(crate) fn method(&self) -> &str {
        let default = if self.data.is_some() { "POST" } else { "GET" };
        self.method.as_deref().unwrap_or(default)
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
            "save" => self.save = Some(value.into()),
            "trace" => self.trace = true,
            "origin" => self.origin = Some(text("--origin", value)?),
            _ => self.own.0.push((option.name, text(name, value)?)),
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

fn text(what: &str, value: OsString) -> Result<String, String> {
    value
        .into_string()
        .map_err(|value| format!("{what} is not valid UTF-8: {value:?}"))
}

/// Reads `--header`. The name is judged later, as a part of the request.
fn field(line: &OsStr) -> Result<(Vec<u8>, Vec<u8>), String> {
    let bytes = line.as_encoded_bytes();
    let Some(colon) = bytes.iter().position(|byte| *byte == b':') else {
        return Err(format!(
            "--header {line:?} has no colon: write --header 'name: value'"
        ));
    };
    // Blanks around a value are not a part of it (RFC 9110 §5.5). Anything else
    // is left for the request to judge, a line end above all.
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let mut value = &bytes[colon + 1..];
    while value.first().is_some_and(blank) {
        value = &value[1..];
    }
    while value.last().is_some_and(blank) {
        value = &value[..value.len() - 1];
    }
    Ok((bytes[..colon].to_vec(), value.to_vec()))
}

/// Reads `--data`: the text itself, or the file after an `@`.
fn data(value: &OsStr) -> Result<Bytes, String> {
    let lossy = value.to_string_lossy();
    let Some(path) = lossy.strip_prefix('@') else {
        return Ok(Bytes::copy_from_slice(value.as_encoded_bytes()));
    };
    let mut content = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_DATA + 1).read_to_end(&mut content))
        .map_err(|error| format!("--data: cannot read the file {path:?}: {error}"))?;
    if content.len() as u64 > LARGEST_DATA {
        return Err(format!(
            "--data: the file {path:?} has more than {LARGEST_DATA} bytes, the most that is sent"
        ));
    }
    Ok(content.into())
}

fn number<N: FromStr>(name: &str, value: OsString, wanted: &str) -> Result<N, String> {
    let value = text(name, value)?;
    // `FromStr` takes a plus sign, too; a number here is digits.
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse() {
        Ok(number) if digits => Ok(number),
        _ => Err(format!("--{name} must be {wanted}, and not {value:?}")),
    }
}

fn seconds(value: OsString) -> Result<Duration, String> {
    let value = text("--deadline", value)?;
    let number: Option<f64> = value.parse().ok();
    number
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("--deadline must be seconds, such as 2.5, and not {value:?}"))
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
