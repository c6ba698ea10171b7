//! Exercise 7: Little's law, predicted and measured.
//!
//! Read in this order: `prediction.rs`, which is yours, and [`measure`], which
//! is given: read that after you have predicted.

pub mod measure;
mod prediction;

pub use prediction::{in_flight, most_per_second};
