//! Exercise 22: what lives across an await.
//!
//! Read in this order: [`Draft`], which is given, `fetch.rs`, which is yours,
//! and `wire.rs`, which is given. [`shapes`] has small futures to compare.

mod draft;
mod fetch;
pub mod shapes;
mod wire;

pub use draft::Draft;
pub use fetch::fetch;
