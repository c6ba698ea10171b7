//! The cases and the contract, against this stage.

fn main() -> std::process::ExitCode {
    conformance::main(stage1_blocking_threads::BlockingThreads)
}
