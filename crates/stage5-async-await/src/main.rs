//! `cargo run -p stage5-async-await`

use std::process::ExitCode;

use stage_cli::{About, OwnOption};
use stage5_async_await::{AsyncAwait, Client};

const ABOUT: About = About {
    name: env!("CARGO_PKG_NAME"),
    title: "async/await on tokio",
    where_it_stopped: "At an .await, in the state machine that the compiler made of the async fn.",
    who_continues: "tokio's reactor calls the waker; its executor polls the outermost future again.",
    own_options: &[OwnOption {
        name: "client",
        value: "hand|reqwest",
        help: "async fn on tokio's socket, or reqwest (default), whose trace says less",
    }],
};

fn main() -> ExitCode {
    stage_cli::main(&ABOUT, |own| {
        let client = match own.get("client") {
            Some("hand") => Client::Hand,
            Some("reqwest") | None => Client::Reqwest,
            Some(other) => {
                return Err(format!(
                    "--client {other}: there are two clients, hand and reqwest"
                ));
            }
        };
        Ok(AsyncAwait { client })
    })
}
