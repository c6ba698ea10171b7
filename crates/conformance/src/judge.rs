//! Comparing what came with what was expected, and saying how they differ.

use std::collections::BTreeMap;
use std::fmt::Write;

use bytes::Bytes;
use fetch_core::{ErrorKind, Response};
use http::HeaderMap;

use crate::case::{Case, Expected, ExpectedHeaders, ExpectedResponse};
use crate::delivery::Delivery;
use crate::subject::Fetched;

/// Which other outcomes are right as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latitude {
    /// None.
    None,
    /// A malformed head that was cut before its blank line may count as never
    /// complete.
    MalformedHeadCut,
}

/// Whether `fetched` is the right outcome of `case`. `port` is what `{PORT}`
/// stands for.
///
/// # Errors
///
/// The first difference, in words.
pub fn judge(case: &Case, fetched: &Fetched, latitude: Latitude, port: u16) -> Result<(), String> {
    match (&case.expected, fetched) {
        (Expected::Response(expected), Ok(response)) => compare(expected, response, port),
        (Expected::Error(expected), Err(error)) => {
            let kind = error.kind();
            let also = latitude == Latitude::MalformedHeadCut
                && matches!(kind, ErrorKind::Disconnected | ErrorKind::Timeout);
            if kind == *expected || also {
                Ok(())
            } else {
                Err(format!("the kind is {kind} and not {expected}"))
            }
        }
        (Expected::Response(_), Err(error)) => Err(format!("it failed with {}", error.kind())),
        (Expected::Error(kind), Ok(_)) => Err(format!("it succeeded and should be {kind}")),
    }
}

/// Whether `response` is the one expected. `port` is what `{PORT}` stands for.
///
/// # Errors
///
/// The first difference, in words.
pub fn compare(expected: &ExpectedResponse, response: &Response, port: u16) -> Result<(), String> {
    let status = response.status().as_u16();
    if status != expected.status {
        return Err(format!(
            "the status is {status} and not {}",
            expected.status
        ));
    }
    if response.version() != expected.version {
        let (is, not) = (response.version(), expected.version);
        return Err(format!("the version is {is:?} and not {not:?}"));
    }
    compare_headers(&expected.headers, response.headers())?;
    if let Some(body) = &expected.body
        && body != response.body()
    {
        return Err(difference("body", body, response.body()));
    }
    // Only where a case asks: most bodies are no echo, and some are large.
    if let Some(target) = &expected.request_target
        && let seen = Echo::of(response.body()).target
        && seen != Some(target.as_bytes())
    {
        let seen = seen.map(show);
        return Err(format!(
            "the server saw the target {seen:?} and not {target:?}"
        ));
    }
    if let Some(host) = &expected.host_header {
        let host = host.replace("{PORT}", &port.to_string());
        let seen = Echo::of(response.body()).host;
        if seen != Some(host.as_bytes()) {
            let seen = seen.map(show);
            return Err(format!("the server saw the Host {seen:?} and not {host:?}"));
        }
    }
    Ok(())
}

type ByName = BTreeMap<Vec<u8>, Vec<Vec<u8>>>;

/// The order between names is not visible through `HeaderMap`, so it is not
/// compared; the order of the values of one name is.
fn compare_headers(expected: &ExpectedHeaders, actual: &HeaderMap) -> Result<(), String> {
    let actual = actual
        .iter()
        .map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
    let actual = by_name(actual);
    match expected {
        ExpectedHeaders::Any => Ok(()),
        ExpectedHeaders::Count(expected) => {
            let count: usize = actual.values().map(Vec::len).sum();
            if count != *expected {
                return Err(format!("there are {count} fields and not {expected}"));
            }
            Ok(())
        }
        ExpectedHeaders::All(pairs) => {
            let expected = by_name(pairs.iter().map(|(name, value)| (&name[..], &value[..])));
            for name in expected.keys().chain(actual.keys()) {
                let (is, not) = (actual.get(name), expected.get(name));
                if is != not {
                    let values = |values: Option<&Vec<Vec<u8>>>| {
                        let shown = values.into_iter().flatten().map(|value| show(value));
                        shown.collect::<Vec<_>>().join(" and ")
                    };
                    return Err(format!(
                        "the field {} is {} and not {}",
                        show(name),
                        values(is),
                        values(not)
                    ));
                }
            }
            Ok(())
        }
    }
}

fn by_name<'a>(pairs: impl Iterator<Item = (&'a [u8], &'a [u8])>) -> ByName {
    let mut map = ByName::new();
    for (name, value) in pairs {
        map.entry(name.to_owned())
            .or_default()
            .push(value.to_owned());
    }
    // hyper takes the overruled Content-Length out of a chunked message, as RFC
    // 9112 §6.3 lets it; others leave it in.
    let codings = map
        .get(&b"transfer-encoding"[..])
        .and_then(|values| values.last());
    let last = codings.and_then(|value| value.rsplit(|&byte| byte == b',').next());
    if last.is_some_and(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"chunked")) {
        map.remove(&b"content-length"[..]);
    }
    map
}

/// What an echo server saw.
struct Echo<'a> {
    target: Option<&'a [u8]>,
    host: Option<&'a [u8]>,
}

impl Echo<'_> {
    fn of(body: &[u8]) -> Echo<'_> {
        let mut lines = body
            .split(|&byte| byte == b'\n')
            .map(|line| line.trim_ascii_end());
        let request_line = lines.next().unwrap_or_default();
        Echo {
            target: request_line.split(|&byte| byte == b' ').nth(1),
            host: lines.find_map(|line| line.strip_prefix(b"host: ")),
        }
    }
}

fn difference(what: &str, expected: &[u8], actual: &[u8]) -> String {
    let equal = expected
        .iter()
        .zip(actual)
        .take_while(|(a, b)| a == b)
        .count();
    format!(
        "the {what} has {} bytes, expected are {}; the first difference is at {equal}: {} and not {}",
        actual.len(),
        expected.len(),
        show(&actual[equal..]),
        show(&expected[equal..]),
    )
}

/// Everything about a failure that a reader needs to understand it.
pub(crate) fn report(
    case: &Case,
    url: &str,
    delivery: &Delivery,
    fetched: &Fetched,
    why: &str,
) -> String {
    let got = match fetched {
        Ok(response) => describe(response),
        Err(error) => format!("{}: {error}", error.kind()),
    };
    let mut text = format!("{} (cases/{}.json): {}\n", case.id, case.theme, case.title);
    let rfc = case.rfc.as_deref().unwrap_or("-");
    let seen_in = case.seen_in.as_deref().unwrap_or("-");
    let mut line = |name: &str, value: &str| {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "  {name:<9} {value}");
    };
    line("rule", &format!("{rfc}, seen in {seen_in}"));
    line("request", &format!("{} {url}", case.request.method));
    line("sent", &delivery.to_string());
    line("", &show(&case.response_bytes()));
    line("then", &format!("{:?}", case.end));
    line("expected", &expectation(&case.expected));
    line("got", &got);
    line("so", why);
    text
}

fn expectation(expected: &Expected) -> String {
    match expected {
        Expected::Error(kind) => kind.to_string(),
        Expected::Response(response) => format!(
            "{} {:?}, headers {:?}, body {}",
            response.status,
            response.version,
            response.headers,
            response
                .body
                .as_ref()
                .map_or("any".into(), |body| show(body))
        ),
    }
}

fn describe(response: &Response) -> String {
    format!(
        "{} {:?}, headers {:?}, body {}",
        response.status().as_u16(),
        response.version(),
        response.headers(),
        show(response.body())
    )
}

/// Bytes for people: at most the first 300.
fn show(bytes: &[u8]) -> String {
    const SHOWN: usize = 300;
    let shown = Bytes::copy_from_slice(&bytes[..bytes.len().min(SHOWN)]);
    match bytes.len() {
        0..=SHOWN => format!("{shown:?}"),
        length => format!("{shown:?}… ({length} bytes)"),
    }
}
