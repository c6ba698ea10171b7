//! How far a request's body has come: counted or chunked.

/// The most bytes that chunk sizes, extensions and trailers may take together.
const MAX_CHUNK_SYNTAX: usize = 64 << 10;

/// A body being received. Its bytes are counted, not kept.
#[derive(Debug)]
pub(crate) enum Body {
    /// That many bytes are to come.
    Counted(u64),
    /// Chunks are to come.
    Chunked(Chunks),
    /// All of it came.
    Whole,
}

/// The body breaks the chunk syntax.
#[derive(Debug)]
pub(crate) struct BadBody;

impl Body {
    pub(crate) fn counted(length: u64) -> Body {
        match length {
            0 => Body::Whole,
            length => Body::Counted(length),
        }
    }

    pub(crate) fn chunked() -> Body {
        Body::Chunked(Chunks {
            at: At::Size { size: None },
            syntax: 0,
        })
    }

    /// Takes what was received. Bytes after the body's end are ignored: they
    /// would be a second request, and a connection serves one.
    pub(crate) fn feed(&mut self, mut input: &[u8]) -> Result<(), BadBody> {
        match self {
            Body::Whole => {}
            Body::Counted(left) => *self = Body::counted(left.saturating_sub(input.len() as u64)),
            Body::Chunked(chunks) => {
                while !input.is_empty() {
                    input = chunks.feed(input)?;
                    if chunks.at == At::End {
                        *self = Body::Whole;
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Where in a chunked body we are.
#[derive(Debug)]
pub(crate) struct Chunks {
    at: At,
    syntax: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// In the size; none before its first digit.
    Size {
        size: Option<u64>,
    },
    /// In a chunk extension.
    Extension {
        size: u64,
    },
    /// At the line feed after size and extension.
    SizeLf {
        size: u64,
    },
    /// In the data, with so many bytes to come.
    Data {
        left: u64,
    },
    DataCr,
    DataLf,
    /// In a trailer line; an empty one ends the body.
    Trailer {
        empty: bool,
    },
    TrailerLf {
        empty: bool,
    },
    End,
}

impl Chunks {
    /// Takes one byte of syntax or a piece of data; gives the rest.
    fn feed<'a>(&mut self, input: &'a [u8]) -> Result<&'a [u8], BadBody> {
        if let At::Data { left } = self.at {
            let piece = left.min(input.len() as u64);
            self.at = match left - piece {
                0 => At::DataCr,
                left => At::Data { left },
            };
            // At most the input's length, so it fits.
            return Ok(&input[piece as usize..]);
        }
        let Some((&byte, rest)) = input.split_first() else {
            return Ok(input);
        };
        self.syntax += 1;
        if self.syntax > MAX_CHUNK_SYNTAX {
            return Err(BadBody);
        }
        self.at = match (self.at, byte) {
            (At::Size { size }, digit) if digit.is_ascii_hexdigit() => At::Size {
                size: Some(append(size.unwrap_or(0), digit)?),
            },
            (At::Size { size: Some(size) }, b'\r') => At::SizeLf { size },
            (At::Size { size: Some(size) }, b';' | b' ' | b'\t') => At::Extension { size },
            (At::Extension { size }, b'\r') => At::SizeLf { size },
            (At::Extension { size }, other) if other != b'\n' => At::Extension { size },
            (At::SizeLf { size: 0 }, b'\n') => At::Trailer { empty: true },
            (At::SizeLf { size }, b'\n') => At::Data { left: size },
            (At::DataCr, b'\r') => At::DataLf,
            (At::DataLf, b'\n') => {
                // Each chunk pays for its own syntax; only a body that is
                // nothing but syntax runs into the limit.
                self.syntax = 0;
                At::Size { size: None }
            }
            (At::Trailer { empty }, b'\r') => At::TrailerLf { empty },
            (At::Trailer { .. }, other) if other != b'\n' => At::Trailer { empty: false },
            (At::TrailerLf { empty: true }, b'\n') => At::End,
            (At::TrailerLf { empty: false }, b'\n') => At::Trailer { empty: true },
            _ => return Err(BadBody),
        };
        Ok(rest)
    }
}

fn append(size: u64, digit: u8) -> Result<u64, BadBody> {
    let digit = char::from(digit).to_digit(16).ok_or(BadBody)?;
    let shifted = size.checked_mul(16).ok_or(BadBody)?;
    Ok(shifted | u64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(input: &[u8], piece: usize) -> Result<bool, BadBody> {
        let mut body = Body::chunked();
        for part in input.chunks(piece) {
            body.feed(part)?;
        }
        Ok(matches!(body, Body::Whole))
    }

    fn check(input: &str, expected: Option<bool>) {
        for piece in [1, 2, 3, input.len()] {
            let got = whole(input.as_bytes(), piece).ok();
            assert_eq!(got, expected, "{input:?} in pieces of {piece}");
        }
    }

    #[test]
    fn chunked_bodies() {
        check("0\r\n\r\n", Some(true));
        check("3\r\nabc\r\n0\r\n\r\n", Some(true));
        check(
            "3;x=y\r\nabc\r\n00A \r\n0123456789\r\n0\r\n\r\nGET",
            Some(true),
        );
        check("0\r\nA: b\r\nC: d\r\n\r\n", Some(true));
        check("0\r\nA: b\r\n", Some(false));
        check("3\r\nabc\r\n", Some(false));
        check("\r\n", None);
        check("g\r\n", None);
        check("-1\r\n", None);
        check("3\nabc\r\n", None);
        check("3\r\nabcd\r\n", None);
        check("3\r\nabc\n\n", None);
        check("10000000000000000\r\n", None);
    }

    #[test]
    fn endless_syntax_is_refused() {
        check(&"0".repeat(MAX_CHUNK_SYNTAX + 1), None);
        check(&format!("0\r\n{}", "a:b\r\n".repeat(20_000)), None);
    }
}
