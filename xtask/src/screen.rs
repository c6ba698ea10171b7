//! What is printed. A closed pipe and a terminal's colours are seen to here.

use std::env;
use std::fmt::Display;
use std::io::{self, IsTerminal, Stdout, Write};

use crate::ended::{Doing, Failure};

/// Standard output.
pub(crate) struct Screen {
    out: Stdout,
    colour: bool,
}

impl Screen {
    pub(crate) fn stdout() -> Screen {
        let out = io::stdout();
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        Screen {
            colour: out.is_terminal() && !is_set("NO_COLOR") && !dumb,
            out,
        }
    }

    /// Whether cargo and we may colour.
    pub(crate) fn colour(&self) -> bool {
        self.colour
    }

    /// Writes a line.
    pub(crate) fn line(&mut self, text: impl Display) -> Result<(), Failure> {
        self.text(format_args!("{text}\n"))
    }

    /// Writes `text` as it is.
    pub(crate) fn text(&mut self, text: impl Display) -> Result<(), Failure> {
        // `print!` would panic when the reader of a pipe has gone away.
        write!(self.out, "{text}")
            .and_then(|()| self.out.flush())
            .or_else(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Err(Failure::Closed),
                _ => Err(error).doing("writing to standard output"),
            })
    }

    /// Writes lines, each moved to the right, if there is anything in it.
    pub(crate) fn indented(&mut self, by: usize, text: &str) -> Result<(), Failure> {
        text.lines().try_for_each(|line| match line {
            "" => self.line(""),
            _ => self.line(format_args!("{:by$}{line}", "")),
        })
    }

    pub(crate) fn good(&self, text: &str) -> String {
        self.painted("32", text)
    }

    pub(crate) fn bad(&self, text: &str) -> String {
        self.painted("31", text)
    }

    pub(crate) fn strong(&self, text: &str) -> String {
        self.painted("1", text)
    }

    fn painted(&self, code: &str, text: &str) -> String {
        match self.colour {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }
}

/// Says on standard error what is being done, for the person who waits.
pub(crate) fn progress(text: impl Display) {
    // Of a closed standard error nobody could be told.
    let _ = writeln!(io::stderr(), "{text}");
}
