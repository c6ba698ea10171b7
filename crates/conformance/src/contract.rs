//! What one response cannot show: request bytes, numbers in flight, deadlines,
//! cancelling, names, and what is left behind.

mod cancelling;
mod deadline;
mod home;
mod in_flight;
mod leftovers;
mod names;
mod setup;
mod unreachable;
mod upload;
mod wire;

use crate::{Check, Subject};

pub(crate) use leftovers::{NAME as LEFTOVERS, in_a_process_of_its_own};

/// A check that every stage must pass.
#[derive(Debug, Clone, Copy)]
pub struct ContractCheck {
    /// Such as `wire-get`; the test is called `contract::wire-get`.
    pub name: &'static str,
    /// Runs it.
    pub run: fn(&Subject) -> Check,
}

/// All checks.
///
/// `nothing-left-behind` counts the threads and descriptors of the whole
/// process, so nothing else may run beside it.
pub fn contract_checks() -> Vec<ContractCheck> {
    let groups = [
        wire::CHECKS,
        in_flight::CHECKS,
        deadline::CHECKS,
        cancelling::CHECKS,
        home::CHECKS,
        names::CHECKS,
        upload::CHECKS,
        leftovers::CHECKS,
    ];
    groups.concat()
}

/// For the tables at the top of each file.
const fn check(name: &'static str, run: fn(&Subject) -> Check) -> ContractCheck {
    ContractCheck { name, run }
}
