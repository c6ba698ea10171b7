//! All stages side by side: whatever a server does, they must agree.
//!
//! A stage's own conformance test knows the right outcome of each case. Here the
//! stages are compared with *each other*, which also works where nobody wrote
//! the right outcome down. It is reqwest that makes this worth doing: it shares
//! no HTTP code with the other stages, so a misreading would have to be made
//! twice.
//!
//! | test | what is compared |
//! | --- | --- |
//! | `pairwise` | the results of every case |
//! | `generated` | generated responses and faults, with what their generator predicts |
//! | `mutated` | responses with random damage; URLs with random damage |
//! | `wire` | the bytes of generated requests, as the server saw them |
//! | `trace` | what fetches say of their waits: one story each, in order, to its end |
//! | `soak` | thousands of fetches with faults, and what is left behind |
//! | `crowd` | ten thousand fetches waiting at once, and on how many threads |
//! | `repository` | not the stages, but what `ARCHITECTURE.md` says always holds |
//!
//! This library is what those tests share. All that is random comes from a seed
//! which is printed, and which [`SEED_VARIABLE`] sets.

mod outcome;
mod random;

pub use outcome::{all_agree, allow_latitude, show};
pub use random::{Random, SEED_VARIABLE, number_from, seed};

use conformance::Subject;
use stage1_blocking_threads::BlockingThreads;
use stage2_thread_pool::ThreadPool;
use stage3_event_loop::EventLoop;
use stage4_hand_rolled_future::{HandRolledFuture, Written};
use stage5_async_await::{AsyncAwait, Client};

/// Every stage, and every variant of one, by a name for messages.
pub fn stages() -> Vec<(&'static str, Subject)> {
    let stage4 = |fetch| Subject::new(HandRolledFuture { fetch });
    let stage5 = |client| Subject::new(AsyncAwait { client });
    vec![
        ("stage 1", Subject::new(BlockingThreads)),
        ("stage 2", Subject::new(ThreadPool::default())),
        ("stage 3", Subject::new(EventLoop)),
        ("stage 4 by hand", stage4(Written::ByHand)),
        ("stage 4 by the compiler", stage4(Written::ByCompiler)),
        ("stage 5 by hand", stage5(Client::Hand)),
        ("stage 5 with reqwest", stage5(Client::Reqwest)),
    ]
}
