//! `cargo run -p stage4-hand-rolled-future`
fn main() {}
