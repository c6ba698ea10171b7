//! `lab timeline`: one run of each stage, as a page to step through.
//!
//! The trace says who waited, on what, and who woke whom, in the same words for
//! all stages. Each stage does the same job in a process of its own; the page
//! puts the stories under each other on one time axis. It holds its data and its
//! code and needs no network.

mod words;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use crate::contestants::Contestant;
use crate::experiments::make;
use crate::failure::{During, Failure, Outcome};
use crate::lab::{Lab, Settings};
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;

/// Code and style. The data goes where it says `{{DATA}}`.
const PAGE: &str = include_str!("timeline/page.html");

/// What the command line asks for.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// Whose runs; by default all stages'.
    pub(crate) contestants: Vec<Contestant>,
    pub(crate) job: Job,
    pub(crate) out: PathBuf,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted {
            contestants: Contestant::stages(),
            job: Job::default(),
            out: Settings::default().out,
        }
    }
}

/// What is recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Job {
    /// 80 + 120 ms, side by side.
    #[default]
    Home,
    /// Ten fetches, four at a time.
    Ten,
    /// Five fetches, one of which blocks its thread for 150 ms.
    Stall,
}

impl Job {
    pub(crate) fn parse(name: &str) -> Outcome<Job> {
        match name {
            "home" => Ok(Job::Home),
            "ten" => Ok(Job::Ten),
            "stall" => Ok(Job::Stall),
            other => Err(Failure::new(format!(
                "--job {other}: there are home, ten and stall"
            ))),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Job::Home => "home",
            Job::Ten => "ten",
            Job::Stall => "stall",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Job::Home => "the home page: profile (80 ms) and orders (120 ms), side by side",
            Job::Ten => "ten fetches of 30 to 75 ms, four at a time",
            Job::Stall => "five fetches of 100 ms; the first blocks its thread for 150 ms",
        }
    }

    fn parameters(self, origin: &OriginProcess) -> Parameters {
        let common = Parameters::new()
            .with("job", "record")
            .with("origins", origin.url());
        match self {
            Job::Home => common.with("paths", ""),
            Job::Ten => {
                let paths: Vec<_> = (0..10)
                    .map(|n| format!("/delay/{}/16", 30 + 5 * n))
                    .collect();
                common.with("paths", paths.join(",")).with("in-flight", 4)
            }
            Job::Stall => {
                let paths = ["/delay/100/16"; 5].join(",");
                common.with("paths", paths).with("stall-ms", 150)
            }
        }
    }
}

/// Records, and writes the page.
pub(crate) fn run(wanted: &Wanted) -> Outcome<()> {
    make(&wanted.out)?;
    let lab = Lab::new("timeline", Settings::default());
    let origin = OriginProcess::start()?;
    let mut stages = Vec::new();
    for contestant in &wanted.contestants {
        lab.doing(&contestant.name);
        let job = wanted.job.parameters(&origin);
        let story = contestant.start(&job)?.run(Duration::from_secs(30))?;
        stages.push(json!({
            "name": contestant.name,
            "what": contestant.what,
            "words": words::of(&contestant.name),
            "tookUs": story["took_us"],
            "events": story["events"],
        }));
    }
    let page = page(&json!({ "title": wanted.job.title(), "stages": stages }));
    let path = wanted
        .out
        .join(format!("timeline-{}.html", wanted.job.name()));
    fs::write(&path, page).during(&format!("writing {}", path.display()))?;
    crate::print(&format!("{}\n", path.display()))
}

/// `3` and `stage3` mean the same; `4` means both of its fetches.
pub(crate) fn chosen(wanted: &str) -> Outcome<Vec<Contestant>> {
    let all = Contestant::stages();
    let names: Vec<_> = all.iter().map(|one| one.name.clone()).collect();
    let prefix = format!("stage{}", wanted.trim_start_matches("stage"));
    let of_stage = |one: &Contestant| {
        one.name == prefix || one.name.split('-').next() == Some(prefix.as_str())
    };
    let chosen: Vec<_> = all.into_iter().filter(of_stage).collect();
    if chosen.is_empty() {
        let names = names.join(", ");
        return Err(Failure::new(format!("--stage {wanted}: there are {names}")));
    }
    Ok(chosen)
}

/// The page with its data. `</script>` inside it would end the script.
fn page(data: &Value) -> String {
    PAGE.replace("{{DATA}}", &data.to_string().replace("</", "<\\/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stage_may_be_a_number() {
        let names = |wanted| {
            let chosen = chosen(wanted).unwrap_or_default();
            chosen.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(names("3"), ["stage3"]);
        assert_eq!(names("4"), ["stage4-enum", "stage4-async"]);
        assert_eq!(names("stage5-hand"), ["stage5-hand"]);
        assert!(chosen("9").is_err());
    }

    #[test]
    fn data_cannot_end_the_script() {
        let page = page(&json!({ "title": "</script><b>" }));
        assert!(!page.contains("</script><b>"));
    }
}
