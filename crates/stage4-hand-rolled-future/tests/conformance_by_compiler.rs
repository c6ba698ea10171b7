#[cfg(not(loom))]
fn main() -> std::process::ExitCode {
    conformance::main(stage4_hand_rolled_future::HandRolledFuture {
        fetch: stage4_hand_rolled_future::Written::ByCompiler,
    })
}
