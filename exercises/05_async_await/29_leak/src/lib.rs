//! Exercise 29: the leak.
//!
//! Asking one origin with little patience, and asking many at once. Both are in
//! `ask.rs`, which is yours.

mod ask;

pub use ask::{ask, ask_all};
