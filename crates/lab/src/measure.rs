//! How the lab measures: processes of their own, counters read from outside,
//! and medians of runs that take turns.
//!
//! Read in this order: `protocol` (what a process under measurement does),
//! `peer` (what the lab does with it), `counters` (what is read), `sample`.

pub(crate) mod asleep;
pub(crate) mod counters;
pub(crate) mod host;
pub(crate) mod origin;
pub(crate) mod parameters;
pub(crate) mod peer;
pub(crate) mod protocol;
pub(crate) mod sample;
pub(crate) mod simulation;
pub(crate) mod syscalls;
pub(crate) mod work;
