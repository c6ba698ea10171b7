//! Everything that is printed goes through a [`Screen`]: what a closed pipe,
//! a terminal and a server's bytes may do to the output is decided here, once.

use std::env;
use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, IsTerminal, Write};

/// Lines are at most this wide, where words allow it.
pub(crate) const WIDTH: usize = 100;

/// Standard output or standard error.
///
/// A reader that went away (`| head -1`) is not an error: what is written from
/// then on is dropped. Rust ignores SIGPIPE, so the system reports it as
/// `BrokenPipe`, at which `println!` would panic. Other errors are the
/// caller's, on standard output; of those on standard error nobody could be
/// told, and it never fails.
pub(crate) struct Screen {
    to: BufWriter<UntilClosed>,
    terminal: bool,
    colour: bool,
}

impl Screen {
    pub(crate) fn stdout() -> Screen {
        let stdout = io::stdout();
        Screen::new(stdout.is_terminal(), stdout, |error| {
            error.kind() == io::ErrorKind::BrokenPipe
        })
    }

    pub(crate) fn stderr() -> Screen {
        let stderr = io::stderr();
        Screen::new(stderr.is_terminal(), stderr, |error| {
            error.kind() != io::ErrorKind::Interrupted
        })
    }

    fn new(terminal: bool, to: impl Write + 'static, is_end: fn(&io::Error) -> bool) -> Screen {
        let terminal = terminal && env::var_os("TERM").is_none_or(|term| term != "dumb");
        Screen {
            to: BufWriter::new(UntilClosed {
                to: Box::new(to),
                is_end,
                closed: false,
            }),
            terminal,
            colour: colour_is_welcome(terminal, |name| env::var_os(name)),
        }
    }

    /// A message for the person in front of the terminal.
    pub(crate) fn say(&mut self, text: &str) {
        let lines = text.lines().map(|line| Printable(line).to_string());
        let _ = writeln!(self, "{}", lines.collect::<Vec<_>>().join("\n"));
        let _ = self.flush();
    }

    /// Whether a line can be written over.
    pub(crate) fn can_redraw(&self) -> bool {
        self.terminal
    }

    /// Writes `text` over the present line.
    pub(crate) fn redraw(&mut self, text: &str) {
        let _ = write!(self, "\r{text}\x1b[K");
        let _ = self.flush();
    }

    /// `text` in a style, if this screen shows styles.
    pub(crate) fn paint(&self, style: Style, text: impl fmt::Display) -> String {
        if self.colour {
            format!("\x1b[{}m{text}\x1b[0m", style.code())
        } else {
            text.to_string()
        }
    }
}

impl Write for Screen {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

struct UntilClosed {
    to: Box<dyn Write>,
    /// Whether an error means that nobody reads any more.
    is_end: fn(&io::Error) -> bool,
    closed: bool,
}

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match self.to.write(bytes) {
            Err(error) if (self.is_end)(&error) => {
                self.closed = true;
                Ok(bytes.len())
            }
            other => other,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.to.flush() {
            Err(error) if (self.is_end)(&error) => {
                self.closed = true;
                Ok(())
            }
            other => other,
        }
    }
}

/// How text looks on a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Good,
    Bad,
    /// A colour to follow one fetch by.
    Lane(usize),
}

impl Style {
    fn code(self) -> &'static str {
        const LANES: [&str; 5] = ["36", "33", "35", "34", "32"];
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Good => "32",
            Style::Bad => "31",
            Style::Lane(lane) => LANES[lane % LANES.len()],
        }
    }
}

/// Whether `terminal` is to be painted on. NO_COLOR is as on no-color.org: set,
/// and not empty. Old Windows consoles print the codes as text; the present one
/// sets WT_SESSION.
fn colour_is_welcome(terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    terminal && !is_set("NO_COLOR") && (!cfg!(windows) || is_set("WT_SESSION"))
}

/// Text from outside, with what could drive the terminal made visible: control
/// characters of both sets, and those that turn the direction of text around.
pub(crate) struct Printable<'a>(pub(crate) &'a str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '\t' => f.write_str("    ")?,
                '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                    write!(f, "{}", character.escape_unicode())?;
                }
                _ if character.is_control() => write!(f, "{}", character.escape_default())?,
                _ => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// `text` broken into lines, each indented by `indent` and ended.
pub(crate) fn wrap(text: &str, indent: usize) -> String {
    let mut lines = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column == 0 {
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if column + 1 + length > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_color_is_respected() {
        let welcome = |terminal, no_color: Option<&str>| {
            colour_is_welcome(terminal, |name| match name {
                "NO_COLOR" => no_color.map(OsString::from),
                _ => Some("set".into()),
            })
        };
        assert!(welcome(true, None));
        assert!(welcome(true, Some("")));
        assert!(!welcome(true, Some("1")));
        assert!(!welcome(false, None));
    }

    #[test]
    fn lines_break_between_words() {
        let text = "word ".repeat(40);
        let wrapped = wrap(&text, 2);
        assert!(
            wrapped
                .lines()
                .all(|line| line.len() <= WIDTH && line.starts_with("  word"))
        );
        assert_eq!(wrapped.split_whitespace().count(), 40);
        let long = "x".repeat(300);
        assert_eq!(wrap(&long, 2), format!("  {long}\n"));
    }
}
