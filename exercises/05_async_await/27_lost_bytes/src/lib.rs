//! Exercise 27: `select!` and the bytes that got lost.
//!
//! Read in this order: [`fetch_and_tell`] and [`receive`], which are given, and
//! `progress.rs`, which is yours.

mod fetch;
mod progress;
mod receive;

pub use fetch::fetch_and_tell;
pub use progress::receive_and_tell;
pub use receive::receive;
