//! `cargo run -p stage3-event-loop`
fn main() {}
