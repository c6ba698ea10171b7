//! All cases and checks, with the client written by hand.

use std::process::ExitCode;

use stage5_async_await::{AsyncAwait, Client};

fn main() -> ExitCode {
    let client = Client::Hand;
    conformance::main(AsyncAwait { client })
}
