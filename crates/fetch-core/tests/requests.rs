//! What a request says about itself, and its bytes.

use bytes::{Buf, Bytes};
use fetch_core::{ErrorKind, Request};

const AGENT: &str = concat!("five-ways-to-wait/", env!("CARGO_PKG_VERSION"));

#[test]
fn get_has_four_fields() {
    let request = get("http://127.0.0.1:8080/a?b=c#d");
    let expected = format!(
        "GET /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:8080\r\nuser-agent: {AGENT}\r\naccept: */*\r\n\
         connection: close\r\n\r\n"
    );
    assert_eq!(sent(&request), expected);
}

#[test]
fn own_fields_come_last_and_repeats_go_together() {
    let fields = [
        ("X-B", "1"),
        ("Accept", "a/b"),
        ("x-a", "2"),
        ("X-B", "3"),
        ("ACCEPT", "c/d"),
    ];
    let request = Request::new("POST", "http://h.test/", fields, "body");
    let expected = format!(
        "POST / HTTP/1.1\r\nhost: h.test\r\nuser-agent: {AGENT}\r\naccept: a/b\r\naccept: c/d\r\n\
         connection: close\r\nx-b: 1\r\nx-b: 3\r\nx-a: 2\r\ncontent-length: 4\r\n\r\nbody"
    );
    assert_eq!(sent(&ok(request)), expected);
}

#[test]
fn content_length_where_a_body_is_or_is_expected() {
    let no_fields: [(&str, &str); 0] = [];
    for (method, body, expected) in [
        ("GET", "", None),
        ("GET", "x", Some("1")),
        ("HEAD", "", None),
        ("DELETE", "", None),
        ("OPTIONS", "", None),
        ("PROPFIND", "", None),
        ("post", "", None),
        ("POST", "", Some("0")),
        ("PUT", "", Some("0")),
        ("PATCH", "", Some("0")),
        ("PUT", "four", Some("4")),
    ] {
        let request = ok(Request::new(method, "http://h.test/", no_fields, body));
        let length = request.headers().get("content-length");
        let length = length.map(|value| value.to_str().expect("digits"));
        assert_eq!(length, expected, "{method} with {body:?}");
    }
}

#[test]
fn the_body_is_shared_and_not_copied() {
    let body = Bytes::from(vec![b'x'; 100]);
    let no_fields: [(&str, &str); 0] = [];
    let request = ok(Request::new(
        "PUT",
        "http://h.test/",
        no_fields,
        body.clone(),
    ));
    let mut outgoing = request.encode();
    outgoing.advance(outgoing.remaining() - body.len());
    assert_eq!(outgoing.chunk().as_ptr(), body.as_ptr());
}

#[test]
fn where_it_goes() {
    for (url, host, port, authority, field) in [
        ("http://H.Test", "h.test", 80, "h.test:80", "h.test"),
        ("http://h.test:80/", "h.test", 80, "h.test:80", "h.test"),
        (
            "http://h.test:8080/",
            "h.test",
            8080,
            "h.test:8080",
            "h.test:8080",
        ),
        (
            "http://127.1:81/",
            "127.0.0.1",
            81,
            "127.0.0.1:81",
            "127.0.0.1:81",
        ),
        ("http://[0::1]/", "::1", 80, "[::1]:80", "[::1]"),
        ("http://[0::1]:81/", "::1", 81, "[::1]:81", "[::1]:81"),
    ] {
        let request = get(url);
        assert_eq!(request.host(), host, "{url}");
        assert_eq!(request.port(), port, "{url}");
        assert_eq!(request.authority(), authority, "{url}");
        assert_eq!(request.headers()["host"], field, "{url}");
        let literal = request.literal_address().map(|address| address.to_string());
        let is_name = host == "h.test";
        assert_eq!(literal, (!is_name).then(|| authority.to_owned()), "{url}");
    }
}

#[test]
fn the_url_is_normalized() {
    assert_eq!(get("HTTP://H.Test/a/../b?c#d").url(), "http://h.test/b?c#d");
}

/// 65,534 bytes are what `http::Uri` takes.
#[test]
fn the_longest_url() {
    let longest = format!(
        "http://h.test/{}",
        "a".repeat(65_534 - "http://h.test/".len())
    );
    assert!(Request::get(&longest).is_ok());
    let error = Request::get(&format!("{longest}a")).expect_err("one byte more");
    assert_eq!(error.kind(), ErrorKind::InvalidUrl);
}

/// A message says what to do, not only what is wrong.
#[test]
fn messages_help() {
    for (url, hint) in [
        ("", "write http://HOST/PATH"),
        ("localhost:8080", "write http://HOST/PATH"),
        ("https://h.test/", "write http://"),
        ("http://h.test/a b", "percent-encode"),
        ("http://me:secret@h.test/", "--header 'authorization"),
    ] {
        let message = Request::get(url).expect_err(url).to_string();
        assert!(message.contains(hint), "{url:?}: {message}");
    }
}

fn get(url: &str) -> Request {
    ok(Request::get(url))
}

fn ok(request: Result<Request, fetch_core::FetchError>) -> Request {
    request.expect("a good request")
}

fn sent(request: &Request) -> String {
    let mut outgoing = request.encode();
    let bytes = outgoing.copy_to_bytes(outgoing.remaining());
    String::from_utf8(bytes.to_vec()).expect("ASCII")
}
