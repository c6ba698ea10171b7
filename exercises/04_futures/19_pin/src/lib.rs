//! Exercise 19: a future that borrows from itself.
//!
//! Read in this order: [`reason`], an `async fn` that borrows from itself, and
//! [`Borrowed`], which are given; `by_hand.rs`, the same future by hand, and
//! `shelf.rs`, where futures are kept: these two are yours.

mod borrowed;
mod by_compiler;
mod by_hand;
mod shelf;

pub use borrowed::Borrowed;
pub use by_compiler::reason;
pub use by_hand::Reason;
pub use shelf::Shelf;

/// The start line of a response.
pub type StartLine = [u8; 32];

/// Where the reason phrase begins in `HTTP/1.1 200 OK`.
const REASON_AT: usize = "HTTP/1.1 200 ".len();
