//! Exercise 10: the stale token.
//!
//! An event loop with stage 3's fetch, resolver and timers. Only the map from a
//! token back to the fetch is its own, and that is yours.
//!
//! Read in this order: [`fetch_in_turn`], which is given, and `slots.rs`, which
//! is yours.

mod event_loop;
mod slots;

pub use event_loop::fetch_in_turn;
pub use slots::{SLOT_BITS, SLOT_MASK, Slots};
