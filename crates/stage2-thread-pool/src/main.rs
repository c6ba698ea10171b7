//! `cargo run -p stage2-thread-pool`
fn main() {}
