//! The cases and checks of all stages, for the fetch that the compiler wrote.

use stage4_hand_rolled_future::{HandRolledFuture, Written};

fn main() -> std::process::ExitCode {
    conformance::main(HandRolledFuture {
        fetch: Written::ByCompiler,
    })
}
