//! The chunked transfer coding (RFC 9112 §7.1), incrementally.

use bytes::{Buf, BytesMut};

use crate::{FetchError, limits};

/// Decodes a chunked body out of pieces that may be cut anywhere.
///
/// `httparse::parse_chunk_size` is not used: it takes an empty line for the
/// size 0, and lets a LF stand inside an extension.
#[derive(Debug)]
pub(crate) struct ChunkedDecoder {
    state: State,
    /// Bytes of extensions in this body so far.
    extension_bytes: usize,
    /// The trailer section so far: judged as a whole once it is complete.
    trailers: Vec<u8>,
    trailer_lines: usize,
}

/// What the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The first digit of a size: there must be one.
    SizeStart,
    /// A further digit of the size so far, or what follows it.
    Size(u64),
    /// White space after the size; no further digit may come.
    AfterSize(u64),
    /// Inside an extension.
    Extension(u64),
    /// The LF of the size line.
    SizeLf(u64),
    /// Chunk data; this many bytes are missing.
    Data(u64),
    /// The CR after the data.
    DataCr,
    /// The LF after the data.
    DataLf,
    /// Inside a line of the trailer section.
    Trailer,
    /// The LF of a line of the trailer section.
    TrailerLf,
    /// The beginning of a line after the last chunk: a CR ends the body, any
    /// other byte begins a trailer.
    LineStart,
    /// The very last LF.
    EndLf,
    /// The body is complete.
    End,
}

impl ChunkedDecoder {
    pub(crate) fn new() -> Self {
        ChunkedDecoder {
            state: State::SizeStart,
            extension_bytes: 0,
            trailers: Vec::new(),
            trailer_lines: 0,
        }
    }

    /// Takes what it can out of `buffer`, hands decoded bytes to `keep`, and
    /// says whether the body is complete.
    pub(crate) fn decode(
        &mut self,
        buffer: &mut BytesMut,
        mut keep: impl FnMut(&[u8]) -> Result<(), FetchError>,
    ) -> Result<bool, FetchError> {
        while self.state != State::End && buffer.has_remaining() {
            self.state = match self.state {
                State::Data(missing) => {
                    let here = usize::try_from(missing)
                        .unwrap_or(usize::MAX)
                        .min(buffer.len());
                    keep(&buffer[..here])?;
                    buffer.advance(here);
                    match missing - here as u64 {
                        0 => State::DataCr,
                        missing => State::Data(missing),
                    }
                }
                _ => self.step(buffer.get_u8())?,
            };
        }
        Ok(self.state == State::End)
    }

    /// One byte of syntax. Both bytes of every line end are checked: a decoder
    /// that skips them can be led past the end of its message.
    fn step(&mut self, byte: u8) -> Result<State, FetchError> {
        match (self.state, byte) {
            (State::SizeStart, _) => grow(0, byte),
            (State::Size(size) | State::AfterSize(size), b' ' | b'\t') => {
                Ok(State::AfterSize(size))
            }
            (State::Size(size) | State::AfterSize(size), b';') => Ok(State::Extension(size)),
            (State::Size(size) | State::AfterSize(size) | State::Extension(size), b'\r') => {
                Ok(State::SizeLf(size))
            }
            (State::Size(size), _) => grow(size, byte),
            (State::AfterSize(_), _) => {
                invalid("only an extension may follow the size and its white space")
            }
            (State::Extension(_), b'\n') => invalid("a bare line feed inside a chunk extension"),
            (State::Extension(size), _) => self.count_extension_byte(size),
            // The last chunk has the size zero and no data.
            (State::SizeLf(0), b'\n') => Ok(State::LineStart),
            (State::SizeLf(size), b'\n') => Ok(State::Data(size)),
            (State::SizeLf(_), _) => {
                invalid("no line feed after the carriage return of a size line")
            }
            (State::DataCr, b'\r') => Ok(State::DataLf),
            (State::DataLf, b'\n') => Ok(State::SizeStart),
            (State::DataCr | State::DataLf, _) => invalid("no line end after the data of a chunk"),
            (State::LineStart, b'\r') if self.trailers.is_empty() => Ok(State::EndLf),
            (State::LineStart, b'\r') => self.keep_trailer_byte(byte, State::EndLf),
            (State::Trailer, b'\r') => self.keep_trailer_byte(byte, State::TrailerLf),
            (State::LineStart | State::Trailer, _) => self.keep_trailer_byte(byte, State::Trailer),
            (State::TrailerLf, b'\n') => self.end_trailer_line(),
            (State::EndLf, b'\n') => self.end(),
            (State::TrailerLf | State::EndLf, _) => {
                invalid("no line feed after the carriage return of a trailer line")
            }
            (State::Data(_) | State::End, _) => {
                unreachable!("decode() takes no step in these states")
            }
        }
    }

    fn count_extension_byte(&mut self, size: u64) -> Result<State, FetchError> {
        self.extension_bytes += 1;
        if self.extension_bytes >= limits::CHUNK_EXTENSION_BYTES {
            return invalid("16 KiB of chunk extensions or more");
        }
        Ok(State::Extension(size))
    }

    fn keep_trailer_byte(&mut self, byte: u8, next: State) -> Result<State, FetchError> {
        self.trailers.push(byte);
        if self.trailers.len() >= limits::TRAILER_BYTES {
            return invalid("16 KiB of trailers or more");
        }
        Ok(next)
    }

    fn end_trailer_line(&mut self) -> Result<State, FetchError> {
        self.trailer_lines += 1;
        if self.trailer_lines > limits::TRAILERS {
            return invalid("more than 100 trailers");
        }
        self.keep_trailer_byte(b'\n', State::LineStart)
    }

    /// Trailers are checked and dropped: a caller who cannot see them must not
    /// be led to believe that they are fields of the head (RFC 9110 §6.5.1).
    fn end(&mut self) -> Result<State, FetchError> {
        if self.trailers.is_empty() {
            return Ok(State::End);
        }
        self.keep_trailer_byte(b'\n', State::End)?;
        let mut fields = vec![httparse::EMPTY_HEADER; self.trailer_lines];
        match httparse::parse_headers(&self.trailers, &mut fields) {
            Ok(httparse::Status::Complete(_)) => Ok(State::End),
            Ok(httparse::Status::Partial) => invalid("a trailer is not complete"),
            Err(error) => invalid(format!("a trailer is malformed ({error})")),
        }
    }
}

/// One more hexadecimal digit. Leading zeros are without limit, so it is the
/// value that must not overflow, not the number of digits.
fn grow(size: u64, digit: u8) -> Result<State, FetchError> {
    let Some(value) = char::from(digit).to_digit(16) else {
        return invalid(format!(
            "{:?} is not a digit of a chunk size",
            char::from(digit)
        ));
    };
    match size
        .checked_mul(16)
        .and_then(|size| size.checked_add(u64::from(value)))
    {
        Some(size) => Ok(State::Size(size)),
        None => invalid("a chunk size of more than 64 bits"),
    }
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, FetchError> {
    Err(FetchError::InvalidChunk {
        reason: reason.into(),
    })
}
