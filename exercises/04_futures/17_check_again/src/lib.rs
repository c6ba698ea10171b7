//! Exercise 17: register, then check again.
//!
//! Fetches that block run on threads of their own; a task waits until all of
//! them have ended. The threads count, and ring a bell.
//!
//! Read in this order: [`Bell`] and [`Fetches`], which are given, and
//! `until.rs`, which is yours.

mod bell;
mod fetches;
mod until;

pub use bell::Bell;
pub use fetches::Fetches;
pub use until::until;
