//! A response with all its circumstances: its bytes, and what they must come to.

use std::time::Duration;

use bytes::Bytes;
use conformance::{Expected, ExpectedHeaders, ExpectedResponse};
use fetch_core::ErrorKind;
use http::Version;
use origin::{Script, Step};
use proptest::sample::Index;

/// Between two pieces of a response.
const PAUSE: Duration = Duration::from_millis(4);

/// Before a reset, which on some systems destroys what was not read yet.
const BEFORE_RESET: Duration = Duration::from_millis(150);

#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) method: &'static str,
    /// The statuses of interim heads.
    pub(crate) interim: Vec<u16>,
    pub(crate) version: Version,
    pub(crate) status: u16,
    pub(crate) fields: Vec<Field>,
    pub(crate) framing: Framing,
    /// In chunks, also if the framing is another.
    pub(crate) body: Vec<Chunk>,
    /// What comes after the end, and must be ignored.
    pub(crate) surplus: &'static str,
    pub(crate) cuts: Vec<Index>,
    /// How the connection ends, unless the fault decides it.
    pub(crate) end: Step,
    pub(crate) fault: Fault,
}

#[derive(Debug, Clone)]
pub(crate) struct Field {
    pub(crate) name: String,
    /// More than one: the field is folded.
    pub(crate) lines: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Framing {
    Length,
    Chunked { trailers: &'static str },
    ToClose,
}

/// At least one byte of the body, and how its chunk is written.
#[derive(Debug, Clone)]
pub(crate) struct Chunk {
    pub(crate) data: Vec<u8>,
    pub(crate) zeros: usize,
    pub(crate) after_size: &'static str,
}

#[derive(Debug, Clone)]
pub(crate) enum Fault {
    None,
    /// The connection is closed before this byte.
    Close(Index),
    /// The connection is reset before this byte.
    Reset(Index),
    /// The status line begins like that.
    StatusLine(&'static str),
    /// This line stands among the fields.
    FieldLine(&'static str),
    /// Content-Length has this value, if the framing is by length.
    Length(&'static str),
    /// This stands in place of the last chunk, if the framing is chunked.
    LastChunk(&'static str),
    /// The caller allows one byte less than the body has.
    Cap,
}

/// The response, and where in it what ends.
struct Wire {
    bytes: Vec<u8>,
    head_end: usize,
    body_end: usize,
}

impl Exchange {
    pub(crate) fn script(&self) -> Script {
        let mut rest = Bytes::from(self.wire().bytes);
        let (length, end) = match &self.fault {
            Fault::Close(at) => (at.index(rest.len() + 1), Step::Close),
            Fault::Reset(at) => (at.index(rest.len() + 1), Step::Reset),
            _ => (rest.len(), self.end.clone()),
        };
        rest.truncate(length);
        let mut cuts: Vec<usize> = self.cuts.iter().map(|cut| cut.index(length + 1)).collect();
        cuts.sort_unstable();
        let mut script = Script::new().expect_request();
        let mut sent = 0;
        for cut in cuts {
            script = script.send(rest.split_to(cut - sent)).pause(PAUSE);
            sent = cut;
        }
        script = script.send(rest);
        if end == Step::Reset {
            script = script.pause(BEFORE_RESET);
        }
        script.step(end)
    }

    pub(crate) fn max_body_bytes(&self) -> u64 {
        match self.fault {
            Fault::Cap => (self.whole_body().len() as u64).saturating_sub(1),
            _ => 1 << 20,
        }
    }

    /// The outcome. In the order in which a client meets its reasons.
    pub(crate) fn prediction(&self) -> Expected {
        use ErrorKind::{BodyTooLarge, BodyTruncated, Disconnected, InvalidChunk, InvalidHead};
        let wire = self.wire();
        let (arrives, reset) = match &self.fault {
            Fault::Close(at) => (at.index(wire.bytes.len() + 1), false),
            Fault::Reset(at) => (at.index(wire.bytes.len() + 1), true),
            _ => (wire.bytes.len(), false),
        };
        let chunked = matches!(self.framing, Framing::Chunked { .. });
        let mut body = self.whole_body();
        let error = match &self.fault {
            _ if arrives < wire.head_end => Disconnected,
            Fault::StatusLine(_) | Fault::FieldLine(_) => InvalidHead,
            _ if !self.may_have_body() => return self.response(Vec::new()),
            _ if chunked && self.version == Version::HTTP_10 => InvalidHead,
            Fault::Length(_) if self.framing == Framing::Length => InvalidHead,
            Fault::LastChunk(_) if chunked => InvalidChunk,
            Fault::Cap if !body.is_empty() => BodyTooLarge,
            _ if self.framing == Framing::ToClose && !reset => {
                body.truncate(arrives - wire.head_end);
                return self.response(body);
            }
            _ if self.framing == Framing::ToClose || arrives < wire.body_end => BodyTruncated,
            _ => return self.response(body),
        };
        Expected::Error(error)
    }

    fn response(&self, body: Vec<u8>) -> Expected {
        let mut headers: Vec<(Bytes, Bytes)> = Vec::new();
        for field in &self.fields {
            headers.push((
                field.name.to_ascii_lowercase().into(),
                field.lines.join(&b' ').into(),
            ));
        }
        match &self.framing {
            Framing::Length => headers.push(("content-length".into(), self.length().into())),
            Framing::Chunked { .. } => {
                headers.push(("transfer-encoding".into(), "chunked".into()));
            }
            Framing::ToClose => {}
        }
        Expected::Response(ExpectedResponse {
            status: self.status,
            version: self.version,
            headers: ExpectedHeaders::All(headers),
            body: Some(body.into()),
            request_target: None,
            host_header: None,
        })
    }

    fn wire(&self) -> Wire {
        let mut bytes = Vec::new();
        for status in &self.interim {
            bytes.extend_from_slice(
                format!("HTTP/1.1 {status} Wait\r\nLink: <x>\r\n\r\n").as_bytes(),
            );
        }
        let start = match (&self.fault, self.version) {
            (Fault::StatusLine(start), _) => start,
            (_, Version::HTTP_10) => "HTTP/1.0 ",
            _ => "HTTP/1.1 ",
        };
        bytes.extend_from_slice(format!("{start}{} Fine\r\n", self.status).as_bytes());
        for field in &self.fields {
            bytes.extend_from_slice(field.name.as_bytes());
            bytes.extend_from_slice(b": ");
            bytes.extend_from_slice(&field.lines.join(&b"\r\n\t"[..]));
            bytes.extend_from_slice(b"\r\n");
        }
        if let Fault::FieldLine(line) = self.fault {
            bytes.extend_from_slice(line.as_bytes());
        }
        match &self.framing {
            Framing::Length => {
                bytes
                    .extend_from_slice(format!("Content-Length: {}\r\n", self.length()).as_bytes());
            }
            Framing::Chunked { .. } => bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n"),
            Framing::ToClose => {}
        }
        bytes.extend_from_slice(b"\r\n");
        let head_end = bytes.len();
        match &self.framing {
            Framing::Chunked { trailers } => self.write_chunks(&mut bytes, trailers),
            _ => bytes.extend_from_slice(&self.whole_body()),
        }
        let body_end = bytes.len();
        if self.framing != Framing::ToClose {
            bytes.extend_from_slice(self.surplus.as_bytes());
        }
        Wire {
            bytes,
            head_end,
            body_end,
        }
    }

    fn write_chunks(&self, bytes: &mut Vec<u8>, trailers: &str) {
        for chunk in &self.body {
            let (zeros, size) = ("0".repeat(chunk.zeros), chunk.data.len());
            let line = format!("{zeros}{size:x}{}\r\n", chunk.after_size);
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(&chunk.data);
            bytes.extend_from_slice(b"\r\n");
        }
        let last = match self.fault {
            Fault::LastChunk(last) => last,
            _ => "0\r\n",
        };
        bytes.extend_from_slice(format!("{last}{trailers}\r\n").as_bytes());
    }

    fn length(&self) -> String {
        match self.fault {
            Fault::Length(text) => text.to_owned(),
            _ => self.whole_body().len().to_string(),
        }
    }

    fn whole_body(&self) -> Vec<u8> {
        self.body
            .iter()
            .flat_map(|chunk| chunk.data.clone())
            .collect()
    }

    fn may_have_body(&self) -> bool {
        self.method != "HEAD" && ![101, 204, 304].contains(&self.status)
    }
}
