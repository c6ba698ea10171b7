//! The check for what is left behind counts all of a process, so it is alone
//! here.

mod reference;

use conformance::{Check, Subject, Verdict, contract_checks};
use reference::{Fault, Reference};

#[test]
fn leaks_are_found() {
    let intact = run(None);
    assert!(intact.is_ok(), "{intact:?}");
    if intact == Ok(Verdict::Passed) {
        for fault in [Fault::LeaksThreads, Fault::LeaksDescriptors] {
            let check = run(Some(fault));
            assert!(check.is_err(), "{fault:?} is not found: {check:?}");
        }
    }
}

fn run(fault: Option<Fault>) -> Check {
    let mut checks = contract_checks().into_iter();
    let check = checks.find(|check| check.name == "nothing-left-behind");
    (check.expect("it exists").run)(&Subject::new(Reference(fault)))
}
