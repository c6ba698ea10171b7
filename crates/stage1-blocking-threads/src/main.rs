//! `cargo run -p stage1-blocking-threads`

use std::process::ExitCode;

use stage_cli::About;
use stage1_blocking_threads::BlockingThreads;

const ABOUT: About = About {
    name: env!("CARGO_PKG_NAME"),
    title: "A thread a fetch",
    where_it_stopped: "On the stack of the fetch's own thread, inside `connect`, `read` or `write`: \
                       frames that have not returned hold all that it knows.",
    who_continues: "The kernel: when the socket is ready it makes the thread runnable, and the \
                    scheduler lets it return from the call.",
    own_options: &[],
};

fn main() -> ExitCode {
    stage_cli::main(&ABOUT, |_| Ok(BlockingThreads))
}
