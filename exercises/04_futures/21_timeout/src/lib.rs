//! Exercise 21: a timeout, and what dropping does.
//!
//! A future that must be done by a moment, in `timeout.rs`, which is yours. It
//! uses the timers of stage 4's reactor; the tests give it stage 4's fetch.

mod timeout;

pub use timeout::Timeout;
