//! All cases and checks of a stage as a test program.

use std::process::ExitCode;

use fetch_core::Stage;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::{Check, Subject, Verdict, cases, run_case};

/// Tests at a time. Nearly all of them sleep nearly all of the time, so it has
/// nothing to do with the number of processors.
const TEST_THREADS: usize = 16;

/// Runs all cases and checks on `stage`, each as a named test, with the
/// arguments of `cargo test`.
pub fn main(stage: impl Stage + 'static) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(TEST_THREADS);
    let subject = Subject::new(stage);
    let trials = cases().iter().map(|case| {
        let subject = subject.clone();
        let run = move || outcome(run_case(&subject, case));
        Trial::ignorable_test(format!("case::{}", case.id), run)
    });
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

fn outcome(check: Check) -> Result<Completion, Failed> {
    match check {
        Ok(Verdict::Passed) => Ok(Completion::Completed),
        Ok(Verdict::Skipped(reason)) => Ok(Completion::ignored_with(reason)),
        Err(why) => Err(why.into()),
    }
}
