//! Every case and every check, against this stage.

use std::process::ExitCode;

use stage3_event_loop::EventLoop;

fn main() -> ExitCode {
    conformance::main(EventLoop)
}
