//! `--json`: one line a fetch, for other programs.
//!
//! Written by hand: `serde_json` would be a third of the build of stages 1 to
//! 3, and there is one shape to write. The tests read it with `serde_json`.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use fetch_core::{FetchError, Response};

use crate::fetched::Fetched;
use crate::screen::Screen;

/// One line a fetch.
pub(crate) fn print(results: &mut Screen, fetched: &[Fetched]) -> io::Result<()> {
    for one in fetched {
        writeln!(results, "{}", line(one))?;
    }
    results.flush()
}

/// The line of one fetch, without its end.
fn line(fetch: &Fetched) -> String {
    let mut line = format!("{{\"index\":{},\"method\":", fetch.index);
    push_string(&mut line, fetch.method.chars());
    line.push_str(",\"url\":");
    push_string(&mut line, fetch.url.chars());
    match &fetch.result {
        Ok(response) => push_response(&mut line, response),
        Err(error) => push_error(&mut line, error),
    }
    let ms = fetch.elapsed.as_secs_f64() * 1000.0;
    push(&mut line, format_args!(",\"elapsed_ms\":{ms:.1}}}"));
    line
}

fn push_response(line: &mut String, response: &Response) {
    let (status, version) = (response.status().as_u16(), response.version());
    push(
        line,
        format_args!(",\"outcome\":\"ok\",\"status\":{status},\"version\":\"{version:?}\""),
    );
    line.push_str(",\"headers\":[");
    // Sorted, since their order in a `HeaderMap` says nothing.
    let mut names: Vec<_> = response.headers().keys().collect();
    names.sort_by_key(|name| name.as_str());
    let mut separator = "";
    for name in names {
        for value in response.headers().get_all(name) {
            line.push_str(separator);
            line.push('[');
            push_string(line, name.as_str().chars());
            line.push(',');
            // A value is bytes. As Latin-1, each is one character, and none is lost.
            push_string(line, value.as_bytes().iter().map(|byte| char::from(*byte)));
            line.push(']');
            separator = ",";
        }
    }
    push(
        line,
        format_args!("],\"body_len\":{}", response.body().len()),
    );
}

fn push_error(line: &mut String, error: &FetchError) {
    let kind = error.kind();
    push(
        line,
        format_args!(",\"outcome\":\"error\",\"kind\":\"{kind}\",\"message\":"),
    );
    push_string(line, error.to_string().chars());
}

/// A JSON string (RFC 8259 §7). Control characters beyond those that must be
/// escaped are, too: the line may end up on a terminal.
fn push_string(line: &mut String, characters: impl Iterator<Item = char>) {
    line.push('"');
    for character in characters {
        match character {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            _ if character.is_control() => {
                push(line, format_args!("\\u{:04x}", u32::from(character)));
            }
            _ => line.push(character),
        }
    }
    line.push('"');
}

fn push(line: &mut String, text: fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = line.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use fetch_core::Response;
    use http::HeaderValue;
    use serde_json::{Value, json};
    use std::time::Duration;

    fn parsed(url: &str, result: Result<Response, FetchError>) -> Value {
        let elapsed = Duration::from_micros(80_640);
        let fetch = Fetched {
            index: 3,
            method: "GET",
            url,
            result,
            elapsed,
        };
        serde_json::from_str(&line(&fetch)).expect("valid JSON")
    }

    #[test]
    fn every_character_comes_back() {
        let all: String = (0..0x300).filter_map(char::from_u32).collect();
        let url = format!("{all}\u{1f980}");
        assert_eq!(parsed(&url, Err(FetchError::Cancelled))["url"], json!(url));
    }

    #[test]
    fn headers_are_sorted_grouped_and_latin_1() {
        let mut response = Response::new(Bytes::from_static(b"hello"));
        let headers = response.headers_mut();
        for (name, value) in [
            ("x-b", &b"2"[..]),
            ("a", b"caf\xe9 \"\\\t"),
            ("x-b", b"1"),
            ("x-a", b"\xff"),
        ] {
            headers.append(name, HeaderValue::from_bytes(value).expect("a value"));
        }
        let expected = json!([
            ["a", "caf\u{e9} \"\\\t"],
            ["x-a", "\u{ff}"],
            ["x-b", "2"],
            ["x-b", "1"]
        ]);
        assert_eq!(parsed("/", Ok(response))["headers"], expected);
    }

    #[test]
    fn lines_are_as_documented() {
        let response = Response::new(Bytes::from_static(b"hello"));
        let mut fetch = Fetched {
            index: 0,
            method: "GET",
            url: "http://a/",
            result: Ok(response),
            elapsed: Duration::from_micros(80_640),
        };
        assert_eq!(
            line(&fetch),
            r#"{"index":0,"method":"GET","url":"http://a/","outcome":"ok","status":200,"version":"HTTP/1.1","headers":[],"body_len":5,"elapsed_ms":80.6}"#
        );
        fetch.result = Err(FetchError::Cancelled);
        assert_eq!(
            line(&fetch),
            r#"{"index":0,"method":"GET","url":"http://a/","outcome":"error","kind":"cancelled","message":"cancelled, because another fetch failed first","elapsed_ms":80.6}"#
        );
    }
}
