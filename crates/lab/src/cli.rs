//! The command line.

use lexopt::{Arg, Parser, ValueExt};

use crate::contestants::Contestant;
use crate::failure::{During, Failure, Outcome};
use crate::lab::Settings;
use crate::measure::parameters::Parameters;
use crate::timeline::{Job, Wanted};

pub(crate) const HELP: &str = "\
The claims of the articles, measured.

Usage: lab list                      the experiments and the claims they test
       lab EXPERIMENT [options]      one of them
       lab all [options]             all; writes target/lab/ (HTML, SVG, JSON)
       lab timeline [options]        one run of each stage as target/lab/timeline-JOB.html

Options of experiments:
  --n N                  how many fetches, tasks or threads (each has its own default)
  --runs N               how often; medians are shown (default: each its own)
  --seconds S            how long a run may take that goes by time
  --contestant NAME=CMD  measures CMD as well, where stages are compared; may be repeated.
                         It must speak the line protocol; see crates/lab/README.md
  --json                 the result as one line of JSON
  --svg DIR              writes the experiment's plots into DIR
  --out DIR              where `all` and `timeline` write (default target/lab)

Options of the timeline:
  --stage NAME           only this one (default: all)
  --job home|ten|stall   what is recorded (default home)

Use --release: figures of a debug build say nothing about time.
";

/// What this process shall be.
pub(crate) enum Part {
    Help,
    List,
    Experiment(String, Settings),
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
    let mut help = false;
    while let Some(arg) = parser.next().during("the command line")? {
        match arg {
            Arg::Long("n") => settings.n = Some(number(&mut parser, "--n")?),
            Arg::Long("runs") => settings.runs = Some(number(&mut parser, "--runs")?),
            Arg::Long("seconds") => settings.seconds = Some(seconds(&mut parser)?),
            Arg::Long("json") => settings.json = true,
            Arg::Long("contestant") => {
                let text = text(&mut parser, "--contestant")?;
                settings.others.push(Contestant::other(&text)?);
            }
            Arg::Long("svg") => settings.svg = Some(text(&mut parser, "--svg")?.into()),
            Arg::Long("out") => {
                settings.out = text(&mut parser, "--out")?.into();
                wanted.out.clone_from(&settings.out);
            }
            Arg::Long("stage") => wanted.stage = Some(text(&mut parser, "--stage")?),
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
        _ => Part::Experiment(first, settings),
    };
    match words.next() {
        Some(surplus) => Err(Failure::new(format!("{surplus:?} is one word too many"))),
        None => Ok(part),
    }
}

fn text(parser: &mut Parser, name: &str) -> Outcome<String> {
    parser.value().during(name)?.string().during(name)
}

fn number(parser: &mut Parser, name: &str) -> Outcome<usize> {
    match parser.value().during(name)?.parse().during(name)? {
        0 => Err(Failure::new(format!("{name} must be at least 1"))),
        number => Ok(number),
    }
}

fn seconds(parser: &mut Parser) -> Outcome<f64> {
    let seconds: f64 = parser
        .value()
        .during("--seconds")?
        .parse()
        .during("--seconds")?;
    if seconds > 0.0 && seconds <= 3600.0 {
        Ok(seconds)
    } else {
        Err(Failure::new("--seconds must be above 0 and at most 3600"))
    }
}
