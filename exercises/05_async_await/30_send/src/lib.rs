//! Exercise 30: a guard held across an await.
//!
//! A cache of pages, in `cache.rs`, which is yours.

mod cache;

pub use cache::Cache;
