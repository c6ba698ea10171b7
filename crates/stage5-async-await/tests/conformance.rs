//! All cases and checks, with reqwest.

use std::process::ExitCode;

use stage5_async_await::{AsyncAwait, Client};

fn main() -> ExitCode {
    let client = Client::Reqwest;
    conformance::main(AsyncAwait { client })
}
