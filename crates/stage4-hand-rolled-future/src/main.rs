//! `cargo run -p stage4-hand-rolled-future`
//!
//! Which of the two fetches runs: `-- --fetch enum` (by hand, the default) or
//! `-- --fetch async` (by the compiler).

fn main() -> std::process::ExitCode {
    use stage_cli::{About, OwnOption};
    use stage4_hand_rolled_future::{HandRolledFuture, Written};

    const ABOUT: About = About {
        name: env!("CARGO_PKG_NAME"),
        title: "A future a fetch, and the executor that polls it",
        where_it_stopped: "In an enum: poll returned Pending, and left the fetch in one of its variants.",
        who_continues: "The reactor calls the fetch's waker; the executor polls it again, from the top.",
        own_options: &[OwnOption {
            name: "fetch",
            value: "enum|async",
            help: "who wrote the state machine: we (default), or the compiler",
        }],
    };
    stage_cli::main(&ABOUT, |own| {
        let fetch = match own.get("fetch") {
            None | Some("enum") => Written::ByHand,
            Some("async") => Written::ByCompiler,
            Some(other) => {
                return Err(format!("--fetch is enum or async, and not {other:?}"));
            }
        };
        Ok(HandRolledFuture { fetch })
    })
}
