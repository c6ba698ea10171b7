//! Everything that is printed goes through a [`Screen`]: what a closed pipe,
//! a terminal and a server's bytes may do to the output is decided here, once.

use std::env;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, IsTerminal, Write};

/// Lines are at most this wide, where words allow it.
pub(crate) const WIDTH: usize = 100;

/// Standard output or standard error.
///
/// A reader that went away (`| head -1`) is not an error: what is written from
/// then on is dropped. Rust ignores SIGPIPE, so the system reports it as
/// `BrokenPipe`, at which `println!` would panic.
pub(crate) struct Screen {
    to: BufWriter<UntilClosed>,
    colour: bool,
}

impl Screen {
    pub(crate) fn stdout() -> Screen {
        let stdout = io::stdout();
        Screen::new(stdout.is_terminal(), Box::new(stdout))
    }

    pub(crate) fn stderr() -> Screen {
        let stderr = io::stderr();
        Screen::new(stderr.is_terminal(), Box::new(stderr))
    }

    fn new(terminal: bool, to: Box<dyn Write>) -> Screen {
        Screen {
            to: BufWriter::new(UntilClosed { to, closed: false }),
            colour: terminal && colour_is_welcome(),
        }
    }

    /// A line for the person in front of the terminal. If it cannot be
    /// written, there is nobody left to tell.
    pub(crate) fn say(&mut self, text: &str) {
        let lines = text.lines().map(|line| Printable(line).to_string());
        let _ = writeln!(self, "{}", lines.collect::<Vec<_>>().join("\n"));
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
    closed: bool,
}

impl Write for UntilClosed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.closed {
            return Ok(bytes.len());
        }
        match self.to.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(bytes.len())
            }
            other => other,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.to.flush() {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
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

/// NO_COLOR as on no-color.org: set and not empty. Old Windows consoles print
/// the codes as text; the present one sets WT_SESSION.
fn colour_is_welcome() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    !is_set("NO_COLOR") && !dumb && (!cfg!(windows) || is_set("WT_SESSION"))
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
