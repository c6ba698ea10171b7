//! Exercise 8: read until `WouldBlock`.
//!
//! One thread, one connection, one loop: stage 3 at its smallest. The loop
//! sleeps until the system reports an event, and lets the connection do what
//! can be done now.
//!
//! Read in this order: [`fetch`], which is given, and `on_readable.rs`, which is
//! yours. `reply.rs` is given, too; it asks `fetch-core` whether the response is
//! complete.

mod fetch;
mod on_readable;
mod reply;

pub use fetch::fetch;
pub use on_readable::{Input, on_readable};
