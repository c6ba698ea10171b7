//! Stage 4: futures, wakers and an executor by hand. The wait is kept in a value

pub mod executor;
pub mod handle;
pub mod queue;
mod sync;
pub mod task;
pub mod waker;

#[cfg(not(loom))]
pub mod by_compiler;
#[cfg(not(loom))]
pub mod by_hand;
#[cfg(not(loom))]
pub mod clock;
#[cfg(not(loom))]
pub mod connection;
#[cfg(not(loom))]
pub mod group;
#[cfg(not(loom))]
pub mod join;
#[cfg(not(loom))]
pub mod lane;
#[cfg(not(loom))]
pub mod reactor;
#[cfg(not(loom))]
pub mod resolve;
#[cfg(not(loom))]
pub mod runtime;
#[cfg(not(loom))]
pub mod semaphore;
#[cfg(not(loom))]
mod stage;
#[cfg(not(loom))]
pub mod tcp;
#[cfg(not(loom))]
pub mod timeout;
#[cfg(not(loom))]
pub mod timers;

#[cfg(not(loom))]
pub use stage::{HandRolledFuture, Written};
