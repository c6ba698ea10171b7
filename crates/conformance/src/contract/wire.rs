//! The bytes of a request, as the server receives them.
//!
//! The expected bytes are written out: computed by the code that stages encode
//! requests with, they could not disagree with it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use fetch_core::{Options, Request};
use origin::Script;

use super::names::Answers;
use super::setup::{AMPLE, deadline, eventually, passed, start_origin};
use super::{ContractCheck, check};
use crate::{Check, Subject, Verdict};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("wire-get", get),
    check("wire-head", head),
    check("wire-custom-method", custom_method),
    check("wire-post", post),
    check("wire-post-empty", post_empty),
    check("wire-delete-body", delete_with_body),
    check("wire-own-fields", own_fields),
    check("wire-ipv6", ipv6),
    check("wire-name", name),
];

const AGENT: &str = concat!("five-ways-to-wait/", env!("CARGO_PKG_VERSION"));

/// A request and its bytes; `{PORT}` and `{AGENT}` are filled in.
struct Expectation {
    address: IpAddr,
    host: &'static str,
    method: &'static str,
    target: &'static str,
    fields: &'static [(&'static str, &'static str)],
    body: &'static [u8],
    options: Options,
    bytes: &'static str,
}

fn plain() -> Expectation {
    Expectation {
        address: Ipv4Addr::LOCALHOST.into(),
        host: "127.0.0.1",
        method: "GET",
        target: "/a?b=c#d",
        fields: &[],
        body: b"",
        options: deadline(AMPLE),
        bytes: "",
    }
}

fn get(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            bytes: "GET /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\n\r\n",
            ..plain()
        },
    )
}

fn head(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "HEAD",
            bytes: "HEAD /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\n\r\n",
            ..plain()
        },
    )
}

fn custom_method(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "PROPFIND",
            bytes: "PROPFIND /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\n\r\n",
            ..plain()
        },
    )
}

fn post(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "POST",
            body: b"payload",
            bytes: "POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\ncontent-length: 7\r\n\r\npayload",
            ..plain()
        },
    )
}

fn post_empty(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "POST",
            bytes: "POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
            ..plain()
        },
    )
}

fn delete_with_body(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "DELETE",
            body: b"x",
            bytes: "DELETE /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx",
            ..plain()
        },
    )
}

/// Own `accept` and `user-agent` take the place of ours; the values of one name
/// go together, where the name came first.
fn own_fields(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            method: "PUT",
            fields: &[
                ("X-B", "1"),
                ("Accept", "text/plain"),
                ("x-a", "2"),
                ("x-B", "3"),
                ("User-Agent", "mine"),
                ("ACCEPT", "text/html"),
                ("x-empty", ""),
            ],
            bytes: "PUT /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:{PORT}\r\nuser-agent: mine\r\n\
                    accept: text/plain\r\naccept: text/html\r\nconnection: close\r\nx-b: 1\r\n\
                    x-b: 3\r\nx-a: 2\r\nx-empty: \r\ncontent-length: 0\r\n\r\n",
            ..plain()
        },
    )
}

fn ipv6(subject: &Subject) -> Check {
    compare(
        subject,
        Expectation {
            address: Ipv6Addr::LOCALHOST.into(),
            host: "[0::1]",
            target: "",
            bytes: "GET / HTTP/1.1\r\nhost: [::1]:{PORT}\r\nuser-agent: {AGENT}\r\naccept: */*\r\n\
                    connection: close\r\n\r\n",
            ..plain()
        },
    )
}

fn name(subject: &Subject) -> Check {
    let answers = Answers::at_once([Ipv4Addr::LOCALHOST.into()]);
    compare(
        subject,
        Expectation {
            host: "Name.Test",
            options: Options {
                resolver: Arc::new(answers),
                ..deadline(AMPLE)
            },
            bytes: "GET /a?b=c HTTP/1.1\r\nhost: name.test:{PORT}\r\nuser-agent: {AGENT}\r\n\
                    accept: */*\r\nconnection: close\r\n\r\n",
            ..plain()
        },
    )
}

fn compare(subject: &Subject, expected: Expectation) -> Check {
    let origin = start_origin()?;
    let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let script = Script::new().expect_request().send(empty).close();
    let listening = origin.listen_on(&[SocketAddr::new(expected.address, 0)], script);
    let Ok(address) = listening else {
        return Ok(Verdict::Skipped("no such address on this machine".into()));
    };
    let port = address.port();
    let url = format!("http://{}:{port}{}", expected.host, expected.target);
    let fields = expected.fields.iter().copied();
    let request = Request::new(expected.method, &url, fields, expected.body);
    let request = request.map_err(|error| error.to_string())?;
    subject
        .fetch(request, &expected.options)?
        .result
        .map_err(|error| format!("the fetch failed: {error}"))?;

    let whole = || {
        origin
            .journal()
            .iter()
            .any(|c| c.request_whole_at.is_some())
    };
    eventually("the whole request is in the journal", AMPLE, whole)?;
    let seen = origin.journal().swap_remove(0).request;
    let wanted = expected.bytes.replace("{PORT}", &port.to_string());
    let wanted = wanted.replace("{AGENT}", AGENT);
    if seen != wanted.as_bytes() {
        return Err(format!("sent were     {seen:?}\nexpected are b{wanted:?}"));
    }
    passed()
}
