//! Exercise 14: a `Future` by hand.
//!
//! A fetch as an enum with a variant for each place where it can wait, and the
//! `poll` that goes from one to the next. Below it are stage 4's sockets, and
//! above it is stage 4's runtime.
//!
//! Read in this order: `fetch.rs`, which is yours, and `reply.rs`, which is
//! given; it asks `fetch-core` whether the response is complete.

mod fetch;
mod reply;

pub use fetch::{Fetch, fetch};
