//! `cargo run -p stage1-blocking-threads`
fn main() {}
