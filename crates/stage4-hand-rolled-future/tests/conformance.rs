//! The cases and checks of all stages, for the fetch that is written by hand.

use stage4_hand_rolled_future::{HandRolledFuture, Written};

fn main() -> std::process::ExitCode {
    conformance::main(HandRolledFuture {
        fetch: Written::ByHand,
    })
}
