//! Reading the cases out of their files.
//!
//! By hand and not with serde's derive: the build of every stage's tests would
//! wait for syn, and a mistake in a case could not be named as well.

use std::sync::LazyLock;
use std::time::Duration;

use bytes::Bytes;
use fetch_core::ErrorKind;
use http::Version;
use serde_json::{Map, Value};

use crate::case::{
    Case, CaseRequest, End, Expected, ExpectedHeaders, ExpectedResponse, Pauses, ReadRequest,
    Target,
};
use crate::notation::{read_bytes, read_pairs, read_segments};

/// Embedded, so that a test finds them wherever it runs.
const FILES: [(&str, &str); 15] = [
    ("baseline", include_str!("../cases/baseline.json")),
    (
        "chunked-invalid",
        include_str!("../cases/chunked-invalid.json"),
    ),
    ("chunked-valid", include_str!("../cases/chunked-valid.json")),
    ("coding", include_str!("../cases/coding.json")),
    ("connection", include_str!("../cases/connection.json")),
    (
        "content-length",
        include_str!("../cases/content-length.json"),
    ),
    ("headers", include_str!("../cases/headers.json")),
    ("interim", include_str!("../cases/interim.json")),
    ("no-body", include_str!("../cases/no-body.json")),
    ("redirect", include_str!("../cases/redirect.json")),
    ("request", include_str!("../cases/request.json")),
    ("split", include_str!("../cases/split.json")),
    ("status-line", include_str!("../cases/status-line.json")),
    ("te-cl", include_str!("../cases/te-cl.json")),
    ("url", include_str!("../cases/url.json")),
];

/// All cases, by theme and then in the order of the file.
///
/// # Panics
///
/// If one of the embedded files is not in the format of `cases/README.md`.
pub fn cases() -> &'static [Case] {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
        let read = |(theme, text)| read_file(theme, text).unwrap_or_else(|why| panic!("{why}"));
        FILES.into_iter().flat_map(read).collect()
    });
    &CASES
}

fn read_file(theme: &str, text: &str) -> Result<Vec<Case>, String> {
    let in_file = |why: &dyn std::fmt::Display| format!("cases/{theme}.json: {why}");
    let file: Value = serde_json::from_str(text).map_err(|error| in_file(&error))?;
    let entries = file.as_array().ok_or_else(|| in_file(&"not an array"))?;
    let mut cases = Vec::with_capacity(entries.len());
    for (position, entry) in entries.iter().enumerate() {
        let case = entry
            .as_object()
            .ok_or_else(|| "not an object".to_owned())
            .and_then(|entry| read_case(theme, entry))
            .map_err(|why| in_file(&format!("case {position} ({}): {why}", entry["id"])))?;
        cases.push(case);
    }
    Ok(cases)
}

/// A field that no reader asked for is a typing error that would silently
/// weaken a case.
const KNOWN: [&str; 21] = [
    "id",
    "title",
    "rfc",
    "seen_in",
    "method",
    "url",
    "port",
    "fields",
    "request_body",
    "max_body_bytes",
    "own_port",
    "read_request",
    "requests",
    "gap_ms",
    "pre_ms",
    "pause_ms",
    "tail_ms",
    "cuts",
    "segments",
    "end",
    "error",
];

fn read_case(theme: &str, entry: &Map<String, Value>) -> Result<Case, String> {
    let unknown = entry
        .keys()
        .find(|key| !KNOWN.contains(&key.as_str()) && key.as_str() != "response");
    if let Some(unknown) = unknown {
        return Err(format!("no such field: {unknown}"));
    }
    let text = |name: &str| match entry.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("{name} is not a string")),
    };
    let number = |name: &str| match entry.get(name) {
        None => Ok(None),
        Some(value) => value
            .as_u64()
            .map(Some)
            .ok_or_else(|| format!("{name} is not a number")),
    };
    let required = |name: &str| text(name)?.ok_or_else(|| format!("{name} is missing"));
    let pause = |name: &str| Ok::<_, String>(Duration::from_millis(number(name)?.unwrap_or(0)));

    Ok(Case {
        id: required("id")?,
        title: required("title")?,
        theme: theme.to_owned(),
        rfc: text("rfc")?,
        seen_in: text("seen_in")?,
        request: CaseRequest {
            method: text("method")?.unwrap_or_else(|| "GET".to_owned()),
            target: match (text("url")?, text("port")?.as_deref()) {
                (None, None) => Target::Script,
                (Some(url), None) => Target::Echo(url),
                (None, Some("refused")) => Target::Refused,
                _ => return Err("neither a url nor port \"refused\"".into()),
            },
            fields: read_pairs(entry.get("fields").unwrap_or(&Value::Array(Vec::new())))?,
            body: entry
                .get("request_body")
                .map_or(Ok(Bytes::new()), read_bytes)?,
        },
        read_request: match text("read_request")?.as_deref() {
            None | Some("whole") => ReadRequest::Whole,
            Some("head") => ReadRequest::Head,
            Some("none") => ReadRequest::None,
            Some(other) => return Err(format!("read_request {other:?}")),
        },
        segments: read_segments(entry.get("segments"))?,
        pauses: Pauses {
            before: pause("pre_ms")?,
            between: pause("pause_ms")?,
            after: pause("tail_ms")?,
            gap: pause("gap_ms")?,
        },
        end: match text("end")?.as_deref() {
            None | Some("close") => End::Close,
            Some("rst") => End::Reset,
            Some("shutdown-write") => End::ShutdownWrite,
            Some("keep-open") => End::KeepOpen,
            Some("keep-open-unread") => End::KeepOpenUnread,
            Some(other) => return Err(format!("end {other:?}")),
        },
        own_port: match entry.get("own_port") {
            None => false,
            Some(value) => value
                .as_bool()
                .ok_or("own_port is neither true nor false")?,
        },
        repetitions: usize::try_from(number("requests")?.unwrap_or(1))
            .map_err(|e| e.to_string())?,
        only_as_given: match text("cuts")?.as_deref() {
            None => false,
            Some("as-given") => true,
            Some(other) => return Err(format!("cuts {other:?}")),
        },
        max_body_bytes: number("max_body_bytes")?,
        expected: match (entry.get("response"), text("error")?) {
            (Some(response), None) => Expected::Response(read_response(response)?),
            (None, Some(kind)) => Expected::Error(read_kind(&kind)?),
            _ => return Err("neither a response nor an error is expected, or both are".into()),
        },
    })
}

fn read_response(response: &Value) -> Result<ExpectedResponse, String> {
    let text = |name: &str| response[name].as_str().map(str::to_owned);
    let status = response["status"]
        .as_u64()
        .and_then(|code| u16::try_from(code).ok());
    Ok(ExpectedResponse {
        status: status.ok_or("the response has no status")?,
        version: match response["version"].as_str() {
            Some("HTTP/1.1") => Version::HTTP_11,
            Some("HTTP/1.0") => Version::HTTP_10,
            _ => return Err("the response has no version".into()),
        },
        headers: match (response.get("headers"), response["header_count"].as_u64()) {
            (Some(headers), _) => ExpectedHeaders::All(read_pairs(headers)?),
            (None, Some(count)) => {
                ExpectedHeaders::Count(usize::try_from(count).map_err(|e| e.to_string())?)
            }
            (None, None) => ExpectedHeaders::Any,
        },
        body: response.get("body").map(read_bytes).transpose()?,
        request_target: text("request_target"),
        host_header: text("host_header"),
    })
}

fn read_kind(name: &str) -> Result<ErrorKind, String> {
    const KINDS: [ErrorKind; 15] = [
        ErrorKind::InvalidUrl,
        ErrorKind::UnsupportedScheme,
        ErrorKind::InvalidRequest,
        ErrorKind::DnsFailure,
        ErrorKind::ConnectRefused,
        ErrorKind::Disconnected,
        ErrorKind::InvalidHead,
        ErrorKind::HeadTooLarge,
        ErrorKind::InvalidChunk,
        ErrorKind::BodyTruncated,
        ErrorKind::BodyTooLarge,
        ErrorKind::Timeout,
        ErrorKind::Cancelled,
        ErrorKind::Resources,
        ErrorKind::Io,
    ];
    KINDS
        .into_iter()
        .find(|kind| kind.as_str() == name)
        .ok_or_else(|| format!("no such kind: {name}"))
}
