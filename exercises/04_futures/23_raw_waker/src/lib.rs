//! Exercise 23: a `RawWaker` whose counts balance. *Second reading.*
//!
//! The task and the queue are stage 4's; the waker that points to the task is
//! yours, in `waker.rs`. [`run`], which is given, runs a future with it.

mod run;
mod waker;

pub use run::run;
pub use waker::waker;
