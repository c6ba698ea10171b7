//! The stages and their variants.

use fetch_core::Stage;
use stage1_blocking_threads::BlockingThreads;
use stage2_thread_pool::ThreadPool;
use stage3_event_loop::EventLoop;
use stage4_hand_rolled_future::{HandRolledFuture, Written};
use stage5_async_await::{AsyncAwait, Client};

use crate::failure::{Failure, Outcome};
use crate::measure::parameters::Parameters;

/// Names and what they are.
pub(super) const NAMES: [(&str, &str); 7] = [
    ("stage1", "a thread a fetch"),
    ("stage2", "a pool of threads"),
    ("stage3", "an event loop"),
    ("stage4-enum", "futures by hand"),
    ("stage4-async", "async fn, own executor"),
    ("stage5-hand", "async fn on tokio"),
    ("stage5-reqwest", "reqwest on tokio"),
];

/// The stage of that name. Stage 2 has `workers` workers, if that is given.
pub(crate) fn stage(name: &str, parameters: &Parameters) -> Outcome<Box<dyn Stage>> {
    Ok(match name {
        "stage1" => Box::new(BlockingThreads),
        "stage2" => Box::new(ThreadPool {
            workers: std::num::NonZeroUsize::new(parameters.number_or("workers", 0)?),
        }),
        "stage3" => Box::new(EventLoop),
        "stage4-enum" => Box::new(HandRolledFuture {
            fetch: Written::ByHand,
        }),
        "stage4-async" => Box::new(HandRolledFuture {
            fetch: Written::ByCompiler,
        }),
        "stage5-hand" => Box::new(AsyncAwait {
            client: Client::Hand,
        }),
        "stage5-reqwest" => Box::new(AsyncAwait {
            client: Client::Reqwest,
        }),
        other => return Err(Failure::new(format!("no contestant is called {other:?}"))),
    })
}

pub(super) fn needs_threads(name: &str) -> bool {
    matches!(name, "stage1" | "stage2")
}
