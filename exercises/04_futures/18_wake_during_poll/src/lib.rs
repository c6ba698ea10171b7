//! Exercise 18: a wake during the poll, and the run queue.
//!
//! An executor for many futures on one thread, in `executor.rs`, which is
//! yours. Its sockets and its reactor are stage 4's.

mod executor;

pub use executor::{BoxedFuture, run};
