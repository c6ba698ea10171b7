//! The routes, as any client sees them.

mod client;

use std::time::{Duration, Instant};

use client::{get, request, send, split, start};
use origin::{Config, Origin};

fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, value)| value)
}

#[test]
fn every_counted_answer_has_its_length_and_its_end() {
    let origin = start();
    let cases = [
        ("/", 200, "text/plain"),
        ("/bytes/0", 200, "application/octet-stream"),
        ("/bytes/100000", 200, "application/octet-stream"),
        ("/delay/5/16", 200, "application/octet-stream"),
        ("/drip/5/2", 200, "application/octet-stream"),
        ("/users/42/profile", 200, "application/json"),
        ("/users/42/orders", 200, "application/json"),
        ("/status/200", 200, "text/plain"),
        ("/status/205", 205, "text/plain"),
        ("/status/404", 404, "text/plain"),
        ("/status/599", 599, "text/plain"),
        ("/status/100", 400, "text/plain"),
        ("/status/99", 400, "text/plain"),
        ("/status/600", 400, "text/plain"),
        ("/status/99999999999999999999999", 404, "text/plain"),
        ("/echo", 200, "text/plain"),
        ("/journal/peak", 200, "text/plain"),
        ("/bytes/9?x=/", 200, "application/octet-stream"),
        (
            "http://elsewhere:1/bytes/9?q",
            200,
            "application/octet-stream",
        ),
        ("/nowhere", 404, "text/plain"),
        ("/bytes/", 404, "text/plain"),
        ("/bytes/+1", 404, "text/plain"),
        ("/bytes/-1", 404, "text/plain"),
        ("/bytes/99999999999", 404, "text/plain"),
        ("/delay/600001/1", 404, "text/plain"),
        ("/case/unknown", 404, "text/plain"),
        ("/users/%22/profile", 404, "text/plain"),
        ("*", 404, "text/plain"),
    ];
    for (target, status, content_type) in cases {
        let (head, body) = get(&origin, target);
        assert!(
            head.starts_with(&format!("HTTP/1.1 {status} ")),
            "{target}: {head}"
        );
        assert_eq!(
            field(&head, "content-length"),
            Some(&*body.len().to_string()),
            "{target}"
        );
        assert_eq!(field(&head, "content-type"), Some(content_type), "{target}");
        assert_eq!(field(&head, "connection"), Some("close"), "{target}");
        assert_eq!(field(&head, "date"), None, "{target}");

        // HEAD: the same head, whatever it repeats, and nothing after it.
        let (head_only, nothing) = send(&origin, request("HEAD", target).as_bytes());
        if target != "/echo" {
            assert_eq!(head_only, head, "{target}");
        }
        assert!(nothing.is_empty(), "{target}");
    }
}

#[test]
fn statuses_without_body() {
    let origin = start();
    for code in [204, 304] {
        let (head, body) = get(&origin, &format!("/status/{code}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {code} ")));
        assert_eq!((field(&head, "content-length"), body.len()), (None, 0));
    }
}

#[test]
fn bodies_are_alphabets() {
    let origin = start();
    let expected: Vec<u8> = (0..200_000).map(|i| b'a' + (i % 26) as u8).collect();
    assert_eq!(get(&origin, "/bytes/200000").1, expected);
    assert_eq!(get(&origin, "/drip/30/1").1, expected[..30]);
    let (head, chunks) = get(&origin, "/chunked/200000");
    assert_eq!(field(&head, "transfer-encoding"), Some("chunked"));
    let mut body = Vec::new();
    let mut rest = &chunks[..];
    loop {
        let end = rest
            .iter()
            .position(|b| *b == b'\r')
            .expect("a chunk's size");
        let size = std::str::from_utf8(&rest[..end]).expect("ASCII");
        let size = usize::from_str_radix(size, 16).expect("a number");
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        assert_eq!(&rest[end + 2 + size..end + 4 + size], b"\r\n");
        rest = &rest[end + 4 + size..];
        if size == 0 {
            break;
        }
    }
    assert!(rest.is_empty());
    assert_eq!(body, expected);
    assert_eq!(get(&origin, "/chunked/0").1, b"0\r\n\r\n");
}

#[test]
fn delays_are_kept() {
    let origin = start();
    for (target, ms) in [
        ("/users/7/profile", 80),
        ("/users/7/orders", 120),
        ("/delay/60/1", 60),
        ("/drip/4/20", 60),
    ] {
        let begin = Instant::now();
        let (_, body) = get(&origin, target);
        let took = begin.elapsed();
        assert!(took >= Duration::from_millis(ms), "{target} took {took:?}");
        assert!(
            took < Duration::from_millis(ms + 2000),
            "{target} took {took:?}"
        );
        if target.starts_with("/users") {
            assert!(String::from_utf8_lossy(&body).contains(r#":"7""#));
        }
    }
}

#[test]
fn echo_repeats_the_head_and_waits_for_the_body() {
    let origin = start();
    let head = "PUT /echo HTTP/1.1\r\nHost: a\r\nX: \t y \r\nContent-Length: 5\r\n\r\n";
    let (_, body) = send(&origin, format!("{head}hello").as_bytes());
    assert_eq!(body, head.as_bytes());
    let head = "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (_, body) = send(&origin, format!("{head}5\r\nhello\r\n0\r\n\r\n").as_bytes());
    assert_eq!(body, head.as_bytes());
}

#[test]
fn the_journal_over_http() {
    let origin = start();
    get(&origin, "/bytes/1");
    assert_eq!(get(&origin, "/journal/reset").1, b"forgotten\n");
    assert_eq!(get(&origin, "/journal/peak").1, b"1\n");
    assert_eq!(origin.journal().len(), 1);
}

#[test]
fn several_addresses_on_one_port() {
    let config = Config {
        also: vec!["127.0.0.2".parse().expect("an address")],
        ..Config::default()
    };
    let origin = match Origin::start(config) {
        Err(_) if cfg!(not(target_os = "linux")) => return, // Only Linux has all of 127.0.0.0/8.
        result => result.expect("two addresses"),
    };
    let other = ([127, 0, 0, 2], origin.address().port()).into();
    let (got, _) = client::exchange(other, request("GET", "/bytes/3").as_bytes());
    assert_eq!(split(&got).1, b"abc");
}

#[test]
fn an_address_in_use_is_an_error() {
    let origin = start();
    let config = Config {
        address: origin.address(),
        ..Config::default()
    };
    let error = Origin::start(config).expect_err("the port is in use");
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
    assert!(
        error.to_string().contains(&origin.address().to_string()),
        "{error}"
    );
}
