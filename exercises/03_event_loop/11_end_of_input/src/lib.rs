//! Exercise 11: the missing transition.
//!
//! A state machine has two kinds of input here: bytes have come, and nothing
//! more will come. Every phase needs an answer to both.
//!
//! Read in this order: [`fetch`], which is given, and `phase.rs`, which is yours.

mod fetch;
mod phase;

pub use fetch::fetch;
pub use phase::Phase;
