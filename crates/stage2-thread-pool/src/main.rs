//! `cargo run -p stage2-thread-pool`

use std::num::NonZeroUsize;
use std::process::ExitCode;

use stage_cli::{About, OwnOption, OwnValues};
use stage2_thread_pool::ThreadPool;

const ABOUT: About = About {
    name: env!("CARGO_PKG_NAME"),
    title: "A fixed pool of workers; the queue holds what has not begun",
    where_it_stopped: "What has not begun is in the queue. What has begun is on a worker's stack, \
                       inside a call to read, and that worker can do nothing else.",
    who_continues: "A worker's loop takes the next job from the queue. From then on the kernel: it \
                    puts the worker back on a processor when bytes are there.",
    own_options: &[OwnOption {
        name: "workers",
        value: "N",
        help: "workers at most (as many as --max-in-flight, which is never exceeded)",
    }],
};

fn main() -> ExitCode {
    stage_cli::main(&ABOUT, |own| {
        Ok(ThreadPool {
            workers: workers(own)?,
        })
    })
}

fn workers(own: &OwnValues) -> Result<Option<NonZeroUsize>, String> {
    let Some(value) = own.get("workers") else {
        return Ok(None);
    };
    match value.parse() {
        Ok(workers) => Ok(Some(workers)),
        Err(_) => Err(format!("--workers must be 1 or more, and not {value:?}")),
    }
}
