//! Nothing that a client sends takes the origin down.

mod client;

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use client::{PATIENCE, connect, exchange, get, read_all, request, soon, start};
use origin::{End, MAX_HEAD, Origin, Script};

fn still_serves(origin: &Origin, after: &str) {
    let (head, body) = get(origin, "/bytes/3");
    assert!(head.starts_with("HTTP/1.1 200 "), "after {after}");
    assert_eq!(body, b"abc", "after {after}");
}

#[test]
fn malformed_requests_are_refused() {
    let origin = start();
    let fields = |n: usize| {
        let fields: String = (0..n).map(|i| format!("x{i}: y\r\n")).collect();
        format!("GET / HTTP/1.1\r\n{fields}\r\n")
    };
    let body = |fields: &str, body: &str| format!("POST /echo HTTP/1.1\r\n{fields}\r\n\r\n{body}");
    let cases: Vec<(&str, String, u16)> = vec![
        ("no HTTP", "hello\r\n\r\n".into(), 400),
        ("a TLS handshake", "\x16\x03\x01\x02".into(), 400),
        (
            "a NUL in the start line",
            "GET /\0 HTTP/1.1\r\n\r\n".into(),
            400,
        ),
        (
            "a NUL in a field",
            "GET / HTTP/1.1\r\nA: \0\r\n\r\n".into(),
            400,
        ),
        (
            "a NUL in a name",
            "GET / HTTP/1.1\r\nA\0: b\r\n\r\n".into(),
            400,
        ),
        ("only NULs", "\0".repeat(1000), 400),
        (
            "an empty line first",
            "\r\nGET / HTTP/1.1\r\n\r\n".into(),
            400,
        ),
        ("another version", "GET / HTTP/2.0\r\n\r\n".into(), 400),
        (
            "a space before the colon",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n".into(),
            400,
        ),
        (
            "a folded line",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n".into(),
            400,
        ),
        ("many fields", fields(256), 200),
        ("too many fields", fields(257), 431),
        (
            "a huge head",
            format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "b".repeat(MAX_HEAD)),
            431,
        ),
        (
            "a huge target",
            format!("GET /{}", "b".repeat(MAX_HEAD)),
            431,
        ),
        ("a length of letters", body("Content-Length: x", ""), 400),
        ("a signed length", body("Content-Length: +5", "hello"), 400),
        ("an empty length", body("Content-Length: ", ""), 400),
        (
            "a length beyond 64 bits",
            body("Content-Length: 18446744073709551616", ""),
            400,
        ),
        (
            "two lengths",
            body("Content-Length: 5\r\nContent-Length: 5", "hello"),
            400,
        ),
        (
            "both framings",
            body("Content-Length: 5\r\nTransfer-Encoding: chunked", ""),
            400,
        ),
        ("another coding", body("Transfer-Encoding: gzip", ""), 400),
        (
            "a bad chunk size",
            body("Transfer-Encoding: chunked", "zz\r\n"),
            400,
        ),
        (
            "a chunk too long",
            body("Transfer-Encoding: chunked", "2\r\nabc\r\n"),
            400,
        ),
        (
            "an endless chunk size",
            body("Transfer-Encoding: chunked", &"0".repeat(99_999)),
            400,
        ),
    ];
    for (what, sent, status) in cases {
        let (got, result) = exchange(origin.address(), sent.as_bytes());
        let begin = format!("HTTP/1.1 {status} ");
        assert!(
            got.starts_with(begin.as_bytes()),
            "{what}: {}",
            got.escape_ascii()
        );
        assert!(result.is_ok(), "{what}");
        still_serves(&origin, what);
    }
}

#[test]
fn half_a_request_and_gone() {
    let origin = start();
    let whole = "POST /echo HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello";
    for cut in 0..whole.len() {
        let mut stream = connect(origin.address());
        stream.write_all(&whole.as_bytes()[..cut]).expect("write");
    }
    soon("all are gone", || {
        origin.accepted() == whole.len() as u64 && origin.open_connections() == 0
    });
    let fin = |end: Option<(_, End)>| end.is_some_and(|(_, end)| end == End::ClientFin);
    assert!(origin.journal().iter().all(|seen| fin(seen.ended)));
    still_serves(&origin, "halves");
}

#[test]
fn one_byte_at_a_time_is_fine() {
    let origin = start();
    let mut stream = connect(origin.address());
    let sent = "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for byte in format!("{sent}2;x\r\nab\r\n0\r\nT: u\r\n\r\n").bytes() {
        stream.write_all(&[byte]).expect("write");
        std::thread::sleep(Duration::from_micros(300));
    }
    assert!(read_all(&mut stream).0.ends_with(sent.as_bytes()));
}

#[test]
fn a_refused_peer_that_sends_on_is_cut_off() {
    let origin = start();
    let mut stream = connect(origin.address());
    let piece = [b'\0'; 64 << 10];
    let mut written = 0;
    let begin = Instant::now();
    // Drained for some seconds so that it can read why, then closed.
    while stream.write_all(&piece).is_ok() {
        written += piece.len();
        assert!(begin.elapsed() < PATIENCE, "it is served for ever");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(written > 0);
    soon("it is gone", || origin.open_connections() == 0);
    still_serves(&origin, "an endless peer");
}

#[test]
fn the_journal_keeps_the_start_of_a_large_request() {
    let origin = start();
    let address = origin
        .listen(Script::new().expect_request().send("x"))
        .expect("listen");
    let head = "POST / HTTP/1.1\r\nContent-Length: 1000000\r\n\r\n";
    let sent = head.to_owned() + &"b".repeat(1_000_000);
    assert_eq!(exchange(address, sent.as_bytes()).0, b"x");
    let seen = &origin.journal()[0];
    assert_eq!(seen.request, sent[..MAX_HEAD]);
    assert_eq!(seen.request_bytes, sent.len() as u64);
}

/// SplitMix64: the same bytes in every run.
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[test]
fn random_bytes_and_broken_requests() {
    let origin = start();
    let mut seed = 42;
    let model =
        "POST /drip/3/1 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
    for round in 0..300 {
        let mut bytes = model.as_bytes().to_vec();
        if round % 3 == 0 {
            bytes = (0..random(&mut seed) % 300)
                .map(|_| random(&mut seed) as u8)
                .collect();
        } else {
            for _ in 0..1 + random(&mut seed) % 4 {
                let at = random(&mut seed) as usize % bytes.len();
                bytes[at] = random(&mut seed) as u8;
            }
        }
        let mut stream = connect(origin.address());
        stream.write_all(&bytes).expect("write");
        if round % 2 == 0 {
            stream
                .set_read_timeout(Some(Duration::from_millis(20)))
                .expect("timeout");
            let mut got = [0; 5];
            // Nothing yet, closed, or an answer; but never another protocol.
            if stream.read_exact(&mut got).is_ok() {
                assert_eq!(&got, b"HTTP/", "round {round}, {}", bytes.escape_ascii());
            }
        }
    }
    soon("all are gone", || origin.open_connections() == 0);
    still_serves(&origin, "noise");
    get(&origin, "/echo");
    assert!(
        exchange(origin.address(), request("GET", "/").as_bytes())
            .1
            .is_ok()
    );
}
