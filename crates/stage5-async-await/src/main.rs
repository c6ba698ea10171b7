//! `cargo run -p stage5-async-await`
fn main() {}
