//! Running tests, each as a process of its own that has a time limit: a future
//! that nobody wakes would hang for ever, and a thread cannot be killed.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::compile::Program;
use crate::ended::{Doing, Failure};
use crate::exercise::{Exercise, Reason};

/// Of what a test says, so much is kept: it may say something in a loop.
const KEPT_BYTES: usize = 64 * 1024;

/// How often a process is asked whether it has ended.
const GLANCE: Duration = Duration::from_millis(5);

/// A test that has been run.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) test: String,
    pub(crate) verdict: Verdict,
    /// What it wrote to standard error: how it failed, and what it wants to show.
    pub(crate) said: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed,
    /// It was killed.
    TimedOut,
}

impl Trial {
    /// Whether it failed, and failed for this reason.
    pub(crate) fn failed_because(&self, reason: &Reason) -> bool {
        match reason {
            Reason::TimesOut => self.verdict == Verdict::TimedOut,
            Reason::Says(text) => self.verdict == Verdict::Failed && self.said.contains(text),
        }
    }
}

/// Runs all tests of an exercise, those of the programs that belong to it, in
/// `folder`. The results are in the tests' order.
///
/// # Errors
///
/// A program cannot be run, or does not say which tests it has.
pub(crate) fn run_all(
    exercise: &Exercise,
    programs: &[Program],
    folder: &Path,
) -> Result<Vec<Trial>, Failure> {
    let mut tests = Vec::new();
    let own = programs.iter().filter(|p| p.package == exercise.package);
    for program in own {
        let names = names(&program.path, exercise.time_limit, folder)?;
        tests.extend(names.into_iter().map(|name| (&program.path, name)));
    }
    let run =
        |(program, test): &(&PathBuf, String)| run(program, test, exercise.time_limit, folder);
    if exercise.one_at_a_time {
        return tests.iter().map(run).collect();
    }
    // Side by side, so that three tests that hang cost the time of one. Each thread ends
    // with its test, by the time limit at the latest, and is joined below; there is one
    // for a test.
    thread::scope(|scope| {
        let running: Vec<_> = tests
            .iter()
            .map(|test| scope.spawn(move || run(test)))
            .collect();
        let died = || Failure::Obstacle("a thread that ran a test panicked".to_owned());
        running
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err(died())))
            .collect()
    })
}

/// Runs one test of a program.
///
/// # Errors
///
/// The program cannot be run.
pub(crate) fn run(
    program: &Path,
    test: &str,
    limit: Duration,
    folder: &Path,
) -> Result<Trial, Failure> {
    let arguments = ["--exact", test, "--nocapture", "--include-ignored"];
    let (status, said) = limited(program, &arguments, limit, folder)?;
    Ok(Trial {
        test: test.to_owned(),
        verdict: match status {
            None => Verdict::TimedOut,
            Some(status) if status.success() => Verdict::Passed,
            Some(_) => Verdict::Failed,
        },
        said: said.stderr,
    })
}

/// The names of a program's tests.
pub(crate) fn names(
    program: &Path,
    limit: Duration,
    folder: &Path,
) -> Result<Vec<String>, Failure> {
    let (status, said) = limited(program, &["--list", "--format=terse"], limit, folder)?;
    if !status.is_some_and(|status| status.success()) {
        let program = program.display();
        let what = format!(
            "{program} --list: gives no list of its tests\n{}",
            said.stderr
        );
        return Err(Failure::Obstacle(what));
    }
    let names = said
        .stdout
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    Ok(names.map(str::to_owned).collect())
}

/// What a process has written, at most [`KEPT_BYTES`] of each.
struct Said {
    stdout: String,
    stderr: String,
}

/// Runs a program and kills it after `limit`; then there is no status.
fn limited(
    program: &Path,
    arguments: &[&str],
    limit: Duration,
    folder: &Path,
) -> Result<(Option<ExitStatus>, Said), Failure> {
    let running = format!("running {}", program.display());
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        // What cargo sets, and some tests ask for.
        .env("CARGO_MANIFEST_DIR", folder)
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .doing(&running)?;
    let stdout = child.stdout.take().map(listen_to);
    let stderr = child.stderr.take().map(listen_to);
    let status = wait(&mut child, limit).doing(&running)?;
    let said = |listener: Option<Listener>| listener.map(Listener::heard).unwrap_or_default();
    Ok((
        status,
        Said {
            stdout: said(stdout),
            stderr: said(stderr),
        },
    ))
}

/// Waits until the child has ended; kills it when the time is over.
fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(GLANCE);
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// A thread that reads one of the child's outputs, lest the child block on it.
struct Listener {
    kept: Arc<Mutex<Vec<u8>>>,
    thread: JoinHandle<()>,
}

fn listen_to(mut output: impl Read + Send + 'static) -> Listener {
    let kept = Arc::new(Mutex::new(Vec::new()));
    // It ends with the pipe; nobody cancels it; what it has kept is its result; there are
    // two for a child.
    let thread = thread::spawn({
        let kept = Arc::clone(&kept);
        move || {
            let mut buffer = [0; 8 * 1024];
            while let Ok(length @ 1..) = output.read(&mut buffer) {
                let mut kept = lock(&kept);
                let room = KEPT_BYTES.saturating_sub(kept.len());
                kept.extend_from_slice(&buffer[..length.min(room)]);
            }
        }
    });
    Listener { kept, thread }
}

impl Listener {
    /// What has been written until now.
    fn heard(self) -> String {
        // The end comes with the child's, unless it has started a process that
        // holds on to the pipe: that one is not waited for.
        let started = Instant::now();
        while !self.thread.is_finished() && started.elapsed() < Duration::from_secs(1) {
            thread::sleep(GLANCE);
        }
        String::from_utf8_lossy(&lock(&self.kept)).into_owned()
    }
}

fn lock(kept: &Mutex<Vec<u8>>) -> MutexGuard<'_, Vec<u8>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
