//! What is shared between threads, under names that loom can take over.
//!
//! [loom](https://docs.rs/loom/0.7.3/loom/) runs a test once for every order in
//! which threads can interleave. It can do so only if it is the one who hands
//! out locks, atomics and reference counts; `scripts/loom.sh` builds the crate
//! that way. Everywhere else these are the standard library's.

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc, Mutex, MutexGuard,
    atomic::{AtomicBool, Ordering},
};
#[cfg(loom)]
pub(crate) use std::sync::PoisonError;
