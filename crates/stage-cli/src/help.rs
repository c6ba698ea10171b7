//! `--help` and `--version`.

use std::fmt::Write;

use crate::screen::wrap;
use crate::{About, OwnOption};

/// The options that all stages have.
pub(crate) const OPTIONS: &[OwnOption] = &[
    option("method", "M", "GET by default, POST with --data"),
    option(
        "header",
        "'NAME: VALUE'",
        "a request field; may be repeated",
    ),
    option(
        "data",
        "TEXT|@FILE",
        "the request body: the text, or what the file holds",
    ),
    option(
        "max-in-flight",
        "N",
        "unfinished fetches at most (64); the rest wait their turn",
    ),
    option(
        "deadline",
        "SECONDS",
        "for one whole fetch (30); decimals are fine",
    ),
    option("max-body", "BYTES", "the largest body to accept (67108864)"),
    option(
        "cancel-others",
        "",
        "the first fetch that fails ends the others",
    ),
    option(
        "repeat",
        "N",
        "fetch the whole list of URLs N times: a b a b",
    ),
    option(
        "origin",
        "URL",
        "use this origin server, such as http://127.0.0.1:8080; start none",
    ),
    option("trace", "", "show who waited, on what, and who woke whom"),
    option(
        "json",
        "",
        "one line of JSON a fetch, in request order; all else on stderr",
    ),
    option("save", "DIR", "write each body to DIR/<index>.body"),
];

/// Those of [`OPTIONS`] that say nothing without a URL.
pub(crate) const NEED_URL: &[&str] = &[
    "method",
    "header",
    "data",
    "max-in-flight",
    "cancel-others",
    "repeat",
];

const fn option(name: &'static str, value: &'static str, help: &'static str) -> OwnOption {
    OwnOption { name, value, help }
}

/// The whole text of `--help`.
pub(crate) fn text(about: &About) -> String {
    let About { name, title, .. } = about;
    let stopped = wrap(about.where_it_stopped, 2);
    let continues = wrap(about.who_continues, 2);
    let options = table(OPTIONS);
    let own = match about.own_options {
        [] => String::new(),
        own => format!("\nOptions of this stage:\n{}", table(own)),
    };
    format!(
        "\
{name}: {title}

Usage: {name} [OPTIONS] [URL...]

Without a URL, the default run: an origin server is started on loopback, and
GET /users/42/home is made of its two halves, profile (80 ms) and orders
(120 ms), first one after the other, then side by side.

With URLs, each is fetched. One that starts with / is fetched from the origin
server, whose list of routes is at /.

Where did the work stop?
{stopped}
Who makes it continue?
{continues}
Options, before or after the URLs:
{options}      --help, --version
{own}
Examples:
  {name} --trace
  {name} http://127.0.0.1:8080/bytes/1024 --max-in-flight 50 --repeat 1000
  {name} --repeat 1000 --max-in-flight 1000 /delay/1000/16
  {name} --json --save bodies /users/42/profile /status/404 /no/such/route

With --json, the default run prints four lines: profile and orders one after
the other (0, 1), and side by side (2, 3). If one half fails, the side-by-side
page has failed, and both its lines say why.

Peak threads are those of this process, seen by looking every 2 ms, without the
one that looks and without the origin server's. Peak memory is that of the
whole process. A URL that is not valid is that fetch's error, and keeps its
place in the output.

Exit code: 0 all fetched (whatever the status), 1 something was not, 2 the
command line was not understood. Colour only on a terminal, and not with
NO_COLOR set.
"
    )
}

/// The line of `--version`.
pub(crate) fn version(about: &About) -> String {
    format!("{} {}\n", about.name, env!("CARGO_PKG_VERSION"))
}

fn table(options: &[OwnOption]) -> String {
    let mut table = String::new();
    for OwnOption { name, value, help } in options {
        let option = format!("--{name} {value}");
        // Writing to a String cannot fail.
        let _ = writeln!(table, "      {option:<24} {help}");
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use fetch_core::Options;

    #[test]
    fn defaults_are_told_as_they_are() {
        let options = Options::default();
        for (name, default) in [
            ("max-in-flight", options.max_in_flight.to_string()),
            ("deadline", options.deadline.as_secs().to_string()),
            ("max-body", options.max_body_bytes.to_string()),
        ] {
            let told = OPTIONS.iter().find(|option| option.name == name);
            let told = told.map(|option| option.help.contains(&format!("({default})")));
            assert_eq!(told, Some(true), "{name}: {default}");
        }
    }
}
