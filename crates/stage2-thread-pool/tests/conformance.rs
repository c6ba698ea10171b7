//! The cases and the contract, against this stage.

use stage2_thread_pool::ThreadPool;

fn main() -> std::process::ExitCode {
    conformance::main(ThreadPool::default())
}
