//! All cases and checks of a stage as a test program.

use std::process::ExitCode;

use fetch_core::Stage;
use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::contract::{LEFTOVERS, in_a_process_of_its_own};
use crate::{Check, Subject, Verdict, cases, contract_checks, run_case};

/// Tests at a time. Nearly all of them sleep nearly all of the time, so it has
/// nothing to do with the number of processors.
const TEST_THREADS: usize = 16;

/// Runs all cases and checks on `stage`, each as a named test, with the
/// arguments of `cargo test`.
pub fn main(stage: impl Stage + 'static) -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(TEST_THREADS);
    let subject = Subject::new(stage);
    let of_cases = cases().iter().map(|case| {
        let subject = subject.clone();
        let run = move || outcome(run_case(&subject, case));
        Trial::ignorable_test(format!("case::{}", case.id), run)
    });
    let of_checks = contract_checks().into_iter().map(|check| {
        let subject = subject.clone();
        let run = match check.name {
            LEFTOVERS => in_a_process_of_its_own,
            _ => check.run,
        };
        let run = move || outcome(run(&subject));
        Trial::ignorable_test(format!("contract::{}", check.name), run)
    });
    let trials = of_cases.chain(of_checks).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn outcome(check: Check) -> Result<Completion, Failed> {
    match check {
        Ok(Verdict::Passed) => Ok(Completion::Completed),
        Ok(Verdict::Skipped(reason)) => Ok(Completion::ignored_with(reason)),
        Err(why) => Err(why.into()),
    }
}
