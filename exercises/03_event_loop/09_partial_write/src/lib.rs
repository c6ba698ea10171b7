//! Exercise 9: a partial write keeps its position.
//!
//! A request with a large body, and a server that takes its time to read it.
//! The system takes a part of the request and then says `WouldBlock`; the loop
//! sleeps until there is room again.
//!
//! Read in this order: [`fetch`], which is given, and `sending.rs`, which is
//! yours. `reply.rs` is given, too; it asks `fetch-core` whether the response is
//! complete.

mod fetch;
mod reply;
mod sending;

pub use fetch::fetch;
pub use sending::Sending;
