//! Exercise 16: the lost wake-up.
//!
//! A fetch that blocks runs on a thread of its own; the task that wants its
//! response waits as a future. Where the two meet is a desk. Stage 4 asks the
//! system's resolver in the same way.
//!
//! Read in this order: [`fetch_elsewhere`], which is given, `desk.rs`, which is
//! yours, and [`block_on`], which is given.

mod block_on;
mod desk;
mod fetch;

pub use block_on::block_on;
pub use desk::{Answer, Reply, desk};
pub use fetch::fetch_elsewhere;
