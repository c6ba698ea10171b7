//! A crowd: how many fetches can wait at once, and on how many threads.
//!
//! The origin server is a process of its own, since each side holds as many
//! descriptors as there are connections: this program, started once more.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read};
use std::num::NonZeroUsize;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use agreement::stages;
use conformance::{Subject, machine};
use fetch_core::{Options, Request};
use libtest_mimic::{Arguments, Trial};
use origin::{Config, Origin};

/// Set in the process that is the server.
const SERVE: &str = "AGREEMENT_SERVE";

/// Fetches at once, where a thread does not have to be paid for each.
const CROWD: usize = 10_000;
/// And where it has.
const CROWD_OF_THREADS: usize = 1_000;

/// Descriptors that a process needs for other things.
const OTHER_DESCRIPTORS: u64 = 200;

/// How long the server lets all of them wait. If the last of a crowd has not
/// come before the first is answered, they were never all there, and the next
/// delay is tried.
const DELAYS_MS: [u64; 3] = [3_000, 8_000, 20_000];

fn main() -> ExitCode {
    if std::env::var_os(SERVE).is_some() {
        return serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let mut arguments = Arguments::from_args();
    // Each counts the threads of the process, and needs its descriptors.
    arguments.test_threads = Some(1);
    let trials = stages().into_iter().map(|(name, stage)| {
        let run = move || gather(name, &stage).map_err(|error| error.to_string().into());
        Trial::test(format!("crowd::{}", name.replace(' ', "_")), run)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// Lets a crowd of fetches wait at once, and counts the threads on which.
fn gather(name: &str, stage: &Subject) -> Result<(), Box<dyn Error>> {
    let has_threads = ["stage 1", "stage 2"].contains(&name);
    let wanted = if has_threads { CROWD_OF_THREADS } else { CROWD };
    let descriptors = rlimit::increase_nofile_limit(u64::MAX)?;
    let room = usize::try_from(descriptors.saturating_sub(OTHER_DESCRIPTORS))?;
    let crowd = wanted.min(room);
    if crowd < wanted {
        println!("{name}: {crowd} fetches and not {wanted}, for lack of descriptors (ulimit -Hn)");
    }
    for delay in DELAYS_MS {
        let origin = OtherProcess::start()?;
        let request = Request::get(&format!("{}/delay/{delay}/16", origin.url))?;
        let options = Options {
            max_in_flight: NonZeroUsize::new(crowd).ok_or("no descriptors at all")?,
            deadline: Duration::from_secs(50),
            ..Options::default()
        };
        let before = machine::at_rest(machine::threads);
        let (fetched, most) = most_threads(|| stage.fetch_all(vec![request; crowd], &options));
        for result in fetched?.result {
            assert_eq!(result?.body().len(), 16);
        }
        let peak = origin.stop()?;
        if peak < crowd {
            println!("{name}: only {peak} of {crowd} were there at once within {delay} ms");
            continue;
        }
        match before.and_then(|before| most?.checked_sub(before)) {
            Some(threads) => {
                println!("{name}: {crowd} fetches wait on {threads} threads");
                let enough = if has_threads {
                    crowd..=crowd + 1
                } else {
                    1..=1
                };
                assert!(
                    enough.contains(&threads),
                    "{threads} threads and not {enough:?}"
                );
            }
            None => println!("{name}: {crowd} fetches wait; threads are not measured here"),
        }
        return Ok(());
    }
    Err(format!("{crowd} fetches were never there at once").into())
}

/// Runs `call`, and gives the most threads that this process had meanwhile: the
/// one that looks is not counted.
fn most_threads<T>(call: impl FnOnce() -> T) -> (T, Option<usize>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            let mut most = machine::threads();
            while !over.load(Ordering::Relaxed) {
                most = most.max(machine::threads());
                thread::sleep(Duration::from_millis(20));
            }
            most.map(|threads| threads - 1)
        });
        let result = call();
        over.store(true, Ordering::Relaxed);
        (result, watch.join().unwrap_or(None))
    })
}

/// The server, in a process of its own; it ends with this value.
struct OtherProcess {
    child: Child,
    output: BufReader<std::process::ChildStdout>,
    url: String,
}

impl OtherProcess {
    fn start() -> Result<OtherProcess, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(SERVE, "yes")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut output = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut url = String::new();
        output.read_line(&mut url)?;
        let url = url.trim_end().to_owned();
        Ok(OtherProcess { child, output, url })
    }

    /// Ends it, and gives the most connections that were in flight at once.
    fn stop(mut self) -> Result<usize, Box<dyn Error>> {
        drop(self.child.stdin.take());
        let mut peak = String::new();
        self.output.read_line(&mut peak)?;
        Ok(peak.trim_end().parse()?)
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        // Closing its input ends it; a failed test closes it here.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// The other process: says where it listens, serves until its input ends, and
/// says the most connections that were in flight.
fn serve() -> io::Result<()> {
    let origin = Origin::start(Config::default())?;
    println!("{}", origin.url(""));
    io::stdin().read_to_end(&mut Vec::new())?;
    println!("{}", origin.peak_in_flight());
    Ok(())
}
