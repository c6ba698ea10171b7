//! The command line.

use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

use crate::contestants::Contestant;
use crate::experiments::{self, Experiment};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Settings;
use crate::measure::parameters::Parameters;
use crate::timeline::{self, Job, Wanted};

pub(crate) const HELP: &str = "\
The claims of the articles, measured.

Usage: lab list                  the experiments and the claims they test
       lab EXPERIMENT [options]  one of them
       lab all [options]         all; writes target/lab/ (HTML, SVG, JSON)
       lab timeline [options]    one run of each stage, as a page:
                                 target/lab/timeline-JOB.html

Options of experiments, and of all of them:
  --n N                  how many fetches, tasks or threads (default: its own;
                         at most 1000000)
  --runs N               how often; medians are shown (default: its own)
  --seconds S            how long a run may take that goes by time
  --contestant NAME=CMD  measures CMD as well, where stages are compared; may
                         be repeated. It must speak the line protocol; see
                         crates/lab/README.md

Options of one experiment:
  --json                 the result as one line of JSON
  --svg DIR              writes the experiment's plots into DIR

Options of `timeline`:
  --stage NAME           only this one (default: all)
  --job home|ten|stall   what is recorded (default home)

Option of `all` and `timeline`:
  --out DIR              where they write (default target/lab)

Exit code: 0 measured, whether a claim holds or not; 1 something could not be
measured; 2 the command line is wrong.

Use --release: figures of a debug build say nothing about time.
";

/// What this process shall be.
pub(crate) enum Part {
    Help,
    List,
    Experiment(&'static Experiment, Settings),
    All(Settings),
    Timeline(Wanted),
    /// A stage under measurement.
    Contestant(String, Parameters),
    /// What one experiment measures besides stages.
    Subject(String, Parameters),
    Origin,
}

pub(crate) fn parse(mut parser: Parser) -> Outcome<Part> {
    let mut words = Vec::new();
    let mut settings = Settings::default();
    let mut wanted = Wanted::default();
    let stages = Contestant::stages();
    let mut help = false;
    // All that were given: a command that does not know one of them refuses it.
    let mut given = Vec::new();
    while let Some(arg) = parser.next()? {
        if let Arg::Long(name) = arg {
            given.push(format!("--{name}"));
        }
        match arg {
            Arg::Long("n") => settings.n = Some(number(&mut parser, "--n")?),
            Arg::Long("runs") => settings.runs = Some(number(&mut parser, "--runs")?),
            Arg::Long("seconds") => settings.seconds = Some(seconds(&mut parser)?),
            Arg::Long("json") => settings.json = true,
            Arg::Long("contestant") => {
                let other = Contestant::other(&text(&mut parser, "--contestant")?)?;
                let names = settings.others.iter().chain(&stages);
                if names.into_iter().any(|known| known.name == other.name) {
                    let name = other.name;
                    return Err(Failure::new(format!(
                        "--contestant {name}: another one is called so already"
                    )));
                }
                settings.others.push(other);
            }
            Arg::Long("svg") => settings.svg = Some(directory(&mut parser, "--svg")?),
            Arg::Long("out") => {
                settings.out = directory(&mut parser, "--out")?;
                wanted.out.clone_from(&settings.out);
            }
            Arg::Long("stage") => {
                wanted.contestants = timeline::chosen(&text(&mut parser, "--stage")?)?;
            }
            Arg::Long("job") => wanted.job = Job::parse(&text(&mut parser, "--job")?)?,
            Arg::Long("help") | Arg::Short('h') => help = true,
            Arg::Value(word) => words.push(word.string().during("the command line")?),
            other => return Err(Failure::new(other.unexpected().to_string())),
        }
    }
    if help {
        return Ok(Part::Help);
    }
    let mut words = words.into_iter();
    let Some(first) = words.next() else {
        return Ok(Part::Help);
    };
    let mut part = |role: &str| {
        let name = words.next().during(&format!("the name behind {role}"))?;
        Ok::<_, Failure>((name, Parameters::parse(words.by_ref())?))
    };
    let part = match first.as_str() {
        "contestant" => {
            let (name, parameters) = part("contestant")?;
            Part::Contestant(name, parameters)
        }
        "subject" => {
            let (name, parameters) = part("subject")?;
            Part::Subject(name, parameters)
        }
        "origin" => {
            part("origin")?;
            Part::Origin
        }
        "help" => Part::Help,
        "list" => Part::List,
        "all" => Part::All(settings),
        "timeline" => Part::Timeline(wanted),
        name => Part::Experiment(experiments::find(name)?, settings),
    };
    if let Some(surplus) = words.next() {
        return Err(Failure::new(format!("{surplus:?} is one word too many")));
    }
    match given.iter().find(|option| !part.knows(option)) {
        Some(option) => Err(Failure::new(format!("{option} is no option of `{first}`"))),
        None => Ok(part),
    }
}

impl Part {
    /// Whether an option, which there is, says anything to it.
    fn knows(&self, option: &str) -> bool {
        match (self, option) {
            (Part::Experiment(..), "--json" | "--svg") => true,
            (Part::Timeline(_), "--stage" | "--job") => true,
            (Part::All(_) | Part::Timeline(_), "--out") => true,
            (Part::Experiment(..) | Part::All(_), name) => {
                ["--n", "--runs", "--seconds", "--contestant"].contains(&name)
            }
            _ => false,
        }
    }
}

fn text(parser: &mut Parser, name: &str) -> Outcome<String> {
    parser.value()?.string().during(name)
}

/// Of an empty name the current directory would be made, which nobody means.
fn directory(parser: &mut Parser, name: &str) -> Outcome<PathBuf> {
    let value = parser.value()?;
    if value.is_empty() {
        return Err(Failure::new(format!(
            "{name} needs the name of a directory"
        )));
    }
    Ok(value.into())
}

/// So that a slip of the finger is a mistake and not the end of the machine's memory.
const MOST: usize = 1_000_000;

fn number(parser: &mut Parser, name: &str) -> Outcome<usize> {
    let value = parser.value()?;
    let number = value.to_str().and_then(|text| text.parse().ok());
    let possible = |number: &usize| (1..=MOST).contains(number);
    number.filter(possible).ok_or_else(|| {
        Failure::new(format!(
            "{name} must be at least 1 and at most {MOST}, and not {value:?}"
        ))
    })
}

fn seconds(parser: &mut Parser) -> Outcome<f64> {
    let value = parser.value()?;
    let seconds = value.to_str().and_then(|text| text.parse().ok());
    let possible = |seconds: &f64| *seconds > 0.0 && *seconds <= 3600.0;
    seconds.filter(possible).ok_or_else(|| {
        Failure::new(format!(
            "--seconds must be above 0 and at most 3600, and not {value:?}"
        ))
    })
}
