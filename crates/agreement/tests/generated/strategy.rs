//! Which exchanges there are, and how often each kind comes up.

use http::Version;
use origin::Step;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::string::bytes_regex;

use crate::exchange::{Chunk, Exchange, Fault, Field, Framing};

/// What may follow a response that is complete.
const SURPLUS: [&str; 3] = ["surplus", "\r\n", "HTTP/1.1 200 OK\r\n\r\n"];

/// Beginnings of a status line: the status follows.
const STATUS_LINES: [&str; 6] = [
    "HTTP/1.2 ",
    "HTTP/1.1  ",
    "http/1.1 ",
    "HTTP/2 ",
    "ICY ",
    "HTTP/1.1 2",
];

/// Lines that are no fields.
const FIELD_LINES: [&str; 7] = [
    "A b: c\r\n",
    "A : c\r\n",
    "A\0: c\r\n",
    "A: \0\r\n",
    "A: b\rc\r\n",
    ": c\r\n",
    "A\r\n",
];

/// Values that Content-Length must not have.
const LENGTHS: [&str; 9] = [
    "+5",
    "5 bytes",
    "0x5",
    "5.0",
    "5,",
    "",
    "5, 6",
    "-1",
    "18446744073709551616",
];

/// What must not stand in place of the last chunk.
const LAST_CHUNKS: [&str; 9] = [
    "g\r\n",
    "\r\n",
    "0x0\r\n",
    "-1\r\n",
    "5 5\r\n",
    "0\n",
    "0\rX",
    "1ffffffffffffffff\r\n",
    "5\r\nhelloX\r\n",
];

pub(crate) fn exchange() -> impl Strategy<Value = Exchange> {
    let start = (
        select(&["GET", "GET", "GET", "HEAD", "POST", "DELETE"][..]),
        vec(select(&[100, 102, 103, 199][..]), 0..3),
        prop_oneof![4 => Just(Version::HTTP_11), 1 => Just(Version::HTTP_10)],
        prop_oneof![4 => Just(200), 2 => 200_u16..600, 1 => select(&[101, 204, 205, 304, 999][..])],
    );
    let rest = (vec(field(), 0..6), framing(), vec(chunk(), 0..5));
    let delivery = (
        prop_oneof![2 => Just(""), 1 => select(&SURPLUS[..])],
        vec(any::<Index>(), 0..4),
        select(&[Step::Close, Step::Fin, Step::Stall][..]),
        fault(),
    );
    (start, rest, delivery).prop_map(|(start, rest, delivery)| {
        let (method, interim, version, status) = start;
        let (fields, framing, body) = rest;
        let (surplus, cuts, end, fault) = delivery;
        // Only an end can complete such a body.
        let end = match framing {
            Framing::ToClose if end == Step::Stall => Step::Close,
            _ => end,
        };
        Exchange {
            method,
            interim,
            version,
            status,
            fields,
            framing,
            body,
            surplus,
            cuts,
            end,
            fault,
        }
    })
}

fn field() -> impl Strategy<Value = Field> {
    // Visible ASCII and obs-text (RFC 9110 §5.5), white space only inside.
    let line = bytes_regex(r"(?-u)[!-~\x80-\xff]([ -~\t\x80-\xff]{0,20}[!-~\x80-\xff])?");
    let line = line.expect("the expression is valid").boxed();
    let lines = prop_oneof![
        1 => Just(vec![Vec::new()]),
        6 => vec(line.clone(), 1),
        2 => vec(line, 2..4),
    ];
    ("[Xx]-[A-Ca-c]{1,2}", lines).prop_map(|(name, lines)| Field { name, lines })
}

fn framing() -> impl Strategy<Value = Framing> {
    let trailers = select(&["", "", "X-T: v\r\n", "Content-Length: 3\r\nX: \r\n"][..]);
    prop_oneof![
        2 => Just(Framing::Length),
        3 => trailers.prop_map(|trailers| Framing::Chunked { trailers }),
        1 => Just(Framing::ToClose),
    ]
}

fn chunk() -> impl Strategy<Value = Chunk> {
    let size = prop_oneof![5 => 1..40_usize, 1 => 1..5000_usize];
    let data = size.prop_flat_map(|size| vec(any::<u8>(), size));
    let after_size = select(&["", "", " ", "\t ", ";a", ";a=\"b;c\"", " ; \x01\u{7f}é"][..]);
    (data, 0..3_usize, after_size).prop_map(|(data, zeros, after_size)| Chunk {
        data,
        zeros,
        after_size,
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        6 => Just(Fault::None),
        3 => any::<Index>().prop_map(Fault::Close),
        2 => any::<Index>().prop_map(Fault::Reset),
        1 => select(&STATUS_LINES[..]).prop_map(Fault::StatusLine),
        1 => select(&FIELD_LINES[..]).prop_map(Fault::FieldLine),
        1 => select(&LENGTHS[..]).prop_map(Fault::Length),
        1 => select(&LAST_CHUNKS[..]).prop_map(Fault::LastChunk),
        1 => Just(Fault::Cap),
    ]
}
