//! `fault check`: on a copy of the crates, puts in one fault after the other. The
//! test that is named must pass without it and fail with it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::Fault;
use crate::compile;
use crate::ended::{Doing, Ended, Failure};
use crate::exercise::files_in;
use crate::mirror;
use crate::patch::Shows;
use crate::screen::{self, Screen};
use crate::trial::{self, Verdict};
use crate::workspace::Workspace;

/// How long a test may take that meets a fault, and may hang.
const TIME_LIMIT: Duration = Duration::from_secs(15);

pub(super) fn run(
    workspace: &Workspace,
    faults: &[Fault],
    screen: &mut Screen,
) -> Result<Ended, Failure> {
    let root = workspace.target.join("faults").join("mirror");
    copy(&workspace.root, &root)?;
    let bench = Bench {
        target: workspace.target.join("faults").join("build"),
        root,
    };
    let mut unnoticed = 0;
    for fault in faults {
        screen::progress(format_args!("fault {}: {}", fault.number, fault.title));
        let began = Instant::now();
        let complaint = bench.try_out(fault)?;
        let seconds = began.elapsed().as_secs_f64();
        let (number, test) = (fault.number, &fault.test.1);
        match complaint {
            Ok(how) => {
                screen.line(format_args!("{seconds:5.1} s  {number}: {test} {how}"))?;
            }
            Err(complaint) => {
                unnoticed += 1;
                let word = screen.bad("FAULTS");
                screen.line(format_args!(
                    "{seconds:5.1} s  {number}: {word} {complaint}"
                ))?;
            }
        }
    }
    screen.line(format_args!(
        "{} faults, {unnoticed} of them unnoticed",
        faults.len()
    ))?;
    Ok(if unnoticed == 0 {
        Ended::Well
    } else {
        Ended::Unsolved
    })
}

/// The copy in which the faults are put.
struct Bench {
    root: PathBuf,
    target: PathBuf,
}

impl Bench {
    /// How the fault is noticed; or what is wrong.
    fn try_out(&self, fault: &Fault) -> Result<Result<&'static str, String>, Failure> {
        if fault.patch.shows(&self.root)? != Some(Shows::Old) {
            return Ok(Err(format!(
                "its place in {} is not found",
                fault.patch.file
            )));
        }
        if let Err(complaint) = self.test(fault, &[Verdict::Passed])? {
            return Ok(Err(format!("without it, {complaint}")));
        }
        fault.patch.turn(&self.root, Shows::Old)?;
        let noticed = self.test(fault, &[Verdict::Failed, Verdict::TimedOut]);
        fault.patch.turn(&self.root, Shows::New)?;
        Ok(noticed?.map_err(|complaint| format!("with it, {complaint}")))
    }

    /// Runs the test that is to notice, and says how it ended, if it ended in
    /// one of the ways that are wanted.
    fn test(
        &self,
        fault: &Fault,
        wanted: &[Verdict],
    ) -> Result<Result<&'static str, String>, Failure> {
        let (file, test) = &fault.test;
        let selection = ["--package", &fault.package, "--test", file];
        let build = compile::build_tests(&self.root, Some(&self.target), &selection, false)?;
        let folder = self.root.join("crates").join(&fault.package);
        let program = build.programs.first().map(|program| &program.path);
        let Some(program) = program.filter(|_| build.complete) else {
            return Ok(Err("it does not compile".to_owned()));
        };
        if !trial::names(program, TIME_LIMIT, &folder)?.contains(test) {
            return Ok(Err(format!("there is no test {test} in {file}")));
        }
        let trial = trial::run(program, test, TIME_LIMIT, &folder)?;
        let how = match trial.verdict {
            Verdict::Passed => "passes",
            Verdict::Failed => "fails",
            Verdict::TimedOut => "does not end",
        };
        match wanted.contains(&trial.verdict) {
            true => Ok(Ok(how)),
            false => Ok(Err(format!("{test} {how}\n{}", trial.said))),
        }
    }
}

/// Copies the crates; what is the same is left as it is, and stays built.
fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    let copying = format!("copying the crates to {}", to.display());
    let manifest = fs::read_to_string(from.join("Cargo.toml")).doing(&copying)?;
    let manifest = mirror::manifest(&manifest, "crates/*", "");
    mirror::write(&to.join("Cargo.toml"), manifest.as_bytes()).doing(&copying)?;
    for file in ["Cargo.lock"]
        .map(PathBuf::from)
        .into_iter()
        .chain(sources(from)?)
    {
        let content = fs::read(from.join(&file)).doing(&copying)?;
        mirror::write(&to.join(&file), &content).doing(&copying)?;
    }
    for file in sources(to)? {
        if !from.join(&file).exists() {
            fs::remove_file(to.join(file)).doing(&copying)?;
        }
    }
    Ok(())
}

fn sources(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let crates = Path::new("crates");
    let files = files_in(&root.join(crates)).doing("reading the crates")?;
    Ok(files.into_iter().map(|file| crates.join(file)).collect())
}
