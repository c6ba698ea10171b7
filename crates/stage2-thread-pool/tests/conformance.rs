use std::process::ExitCode;

use stage2_thread_pool::ThreadPool;

fn main() -> ExitCode {
    conformance::main(ThreadPool::default())
}
