//! `cargo run -p stage3-event-loop`

use std::process::ExitCode;

use stage_cli::About;
use stage3_event_loop::EventLoop;

const ABOUT: About = About {
    name: env!("CARGO_PKG_NAME"),
    title: "One thread and a state machine by hand",
    where_it_stopped: "In the fields of a struct: a phase, a buffer, a position. The function that \
                       worked on it has returned; a token finds it again.",
    who_continues: "The loop: poll reports which sockets may be ready, and it calls the states \
                    that belong to them.",
    own_options: &[],
};

fn main() -> ExitCode {
    stage_cli::main(&ABOUT, |_| Ok(EventLoop))
}
