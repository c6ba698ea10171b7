//! The routes: each is answered by a script made for the request.

use std::time::Duration;

use bytes::Bytes;

use crate::exchange::FILL_PERIOD;
use crate::request::{BadRequest, Head, Request, digits};
use crate::script::{Program, Script, Step};
use crate::state::State;

const ROUTES: &str = "\
/users/{id}/profile    a small JSON body after 80 ms
/users/{id}/orders     a small JSON body after 120 ms
/delay/{ms}/{bytes}    that many bytes after that time
/bytes/{n}             n bytes
/drip/{n}/{ms}         n bytes, one each ms milliseconds
/chunked/{n}           n bytes in chunks
/status/{code}         that status, 200 to 599
/echo                  the request's head
/case/{name}           a script that a test has set up
/journal/peak          the most connections in flight at once
/journal/reset         forgets the journal and the peak
";

const PROFILE_DELAY: Duration = Duration::from_millis(80);
const ORDERS_DELAY: Duration = Duration::from_millis(120);
const MAX_PAUSE_MS: u64 = 600_000;
const MAX_BYTES: u64 = 1 << 30;

/// The script that answers a request.
pub(crate) fn answer(head: &Head, state: &State) -> Program {
    let path = path(&head.target);
    if let Some(name) = path.strip_prefix("/case/")
        && let Some(program) = state.cases().get(name)
    {
        return program.clone();
    }
    if path == "/echo" {
        return Program::from_trusted(Script::echo());
    }
    let answer = route(path, state).unwrap_or_else(|| text(404, "no such route; see /\n"));
    Program::from_trusted(answer.script(head.method != "HEAD"))
}

/// The script that refuses a bad request.
pub(crate) fn refusal(bad: BadRequest) -> Program {
    let answer = match bad {
        BadRequest::Malformed => text(400, "malformed request\n"),
        BadRequest::HeadTooLarge => text(431, "the request's head is too large\n"),
    };
    // Without waiting for the request: it will never be whole.
    Program::from_trusted(Script::new().send(answer.head + &answer.text).close())
}

/// The answer that repeats a request's head.
pub(crate) fn echo(request: &Request) -> Bytes {
    let head_bytes = request.head_bytes();
    let mut reply = head(200, "text/plain", head_bytes.len() as u64).into_bytes();
    if request.head().is_some_and(|head| head.method != "HEAD") {
        reply.extend_from_slice(head_bytes);
    }
    reply.into()
}

/// The head of a response whose body has a given length.
fn head(status: u64, content_type: &str, length: u64) -> String {
    format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {content_type}\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n",
        reason(status)
    )
}

/// A response in the making.
struct Answer {
    delay: Duration,
    head: String,
    /// A short body, written together with the head.
    text: String,
    /// A body that is made while it is written.
    body: Vec<Step>,
}

impl Answer {
    fn script(self, with_body: bool) -> Script {
        let start = Script::new().expect_request();
        let start = match self.delay {
            Duration::ZERO => start,
            delay => start.pause(delay),
        };
        if !with_body {
            return start.send(self.head).close();
        }
        let started = start.send(self.head + &self.text);
        self.body.into_iter().fold(started, Script::step).close()
    }
}

fn route(path: &str, state: &State) -> Option<Answer> {
    let parts: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    let number = |text: &str, most: u64| digits(text.as_bytes()).filter(|n| *n <= most);
    let milliseconds = |text| number(text, MAX_PAUSE_MS).map(Duration::from_millis);
    let answer = match parts[..] {
        [""] => text(200, ROUTES),
        ["users", id, "profile"] if is_plain(id) => {
            let profile = format!(r#"{{"id":"{id}","name":"User {id}"}}"#);
            json(PROFILE_DELAY, profile)
        }
        ["users", id, "orders"] if is_plain(id) => {
            let orders = format!(r#"{{"user":"{id}","orders":[{{"item":"book","count":2}}]}}"#);
            json(ORDERS_DELAY, orders)
        }
        ["delay", ms, n] => {
            let n = number(n, MAX_BYTES)?;
            Answer {
                delay: milliseconds(ms)?,
                ..made(n, vec![Step::Fill(n)])
            }
        }
        ["bytes", n] => {
            let n = number(n, MAX_BYTES)?;
            made(n, vec![Step::Fill(n)])
        }
        ["drip", n, ms] => {
            let (bytes, every) = (number(n, MAX_BYTES)?, milliseconds(ms)?);
            made(bytes, vec![Step::Drip { bytes, every }])
        }
        ["chunked", n] => chunked(number(n, MAX_BYTES)?),
        ["status", code] => status(number(code, u64::MAX)?),
        ["journal", "peak"] => {
            let peak = state.journal().peak_in_flight();
            text(200, &format!("{peak}\n"))
        }
        ["journal", "reset"] => {
            state.journal().clear();
            text(200, "forgotten\n")
        }
        _ => return None,
    };
    Some(answer)
}

fn text(status: u64, text: &str) -> Answer {
    Answer {
        delay: Duration::ZERO,
        head: head(status, "text/plain", text.len() as u64),
        text: text.to_owned(),
        body: Vec::new(),
    }
}

fn json(delay: Duration, text: String) -> Answer {
    Answer {
        delay,
        head: head(200, "application/json", text.len() as u64),
        text,
        body: Vec::new(),
    }
}

fn made(length: u64, body: Vec<Step>) -> Answer {
    Answer {
        delay: Duration::ZERO,
        head: head(200, "application/octet-stream", length),
        text: String::new(),
        body,
    }
}

/// Chunks as long as the pattern of a `Fill`, so that the decoded body goes on
/// with the pattern from chunk to chunk.
fn chunked(length: u64) -> Answer {
    let mut body = Vec::new();
    let mut left = length;
    while left > 0 {
        let size = left.min(FILL_PERIOD as u64);
        let end = if left == size {
            "\r\n0\r\n\r\n"
        } else {
            "\r\n"
        };
        body.push(Step::Send(format!("{size:x}\r\n").into()));
        body.push(Step::Fill(size));
        body.push(Step::Send(end.into()));
        left -= size;
    }
    if length == 0 {
        body.push(Step::Send("0\r\n\r\n".into()));
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\
                Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    Answer {
        head: head.to_owned(),
        ..made(length, body)
    }
}

fn status(code: u64) -> Answer {
    match code {
        // These have no body, and a 204 must not even give a length.
        204 | 304 => Answer {
            head: format!(
                "HTTP/1.1 {code} {}\r\nConnection: close\r\n\r\n",
                reason(code)
            ),
            ..text(code, "")
        },
        205 => text(code, ""),
        200..=599 => text(code, &format!("{code} {}\n", reason(code))),
        _ => text(400, "a final status is 200 to 599\n"),
    }
}

/// The path of a request target, be it `/path?query` or a whole URL.
fn path(target: &str) -> &str {
    let path = match target.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => {
            rest.find('/').map_or("/", |slash| &rest[slash..])
        }
        _ => target,
    };
    path.split('?').next().unwrap_or_default()
}

/// Whether it can stand inside a JSON string as it is.
fn is_plain(id: &str) -> bool {
    !id.is_empty()
        && id
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

fn reason(status: u64) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        205 => "Reset Content",
        301 => "Moved Permanently",
        302 => "Found",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        418 => "I'm a teapot",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
