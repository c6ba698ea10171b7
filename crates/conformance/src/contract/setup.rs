//! What the checks have in common: servers, requests, expectations.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::thread::sleep;
use std::time::{Duration, Instant};

use fetch_core::{ErrorKind, Options, Request};
use origin::{Config, Connection, Origin, Script};

use crate::{Check, Fetched, Timed, Verdict};

/// Long enough that only a stage that hangs runs into it.
pub(super) const AMPLE: Duration = Duration::from_secs(20);

/// A cancelled fetch's connection must be closed within this time.
pub(super) const PROMPT: Duration = Duration::from_secs(1);

/// Checked against clocks that were read at other moments.
const EARLY: Duration = Duration::from_millis(50);

/// How late a timeout may be on a loaded machine.
const LATE: Duration = Duration::from_secs(3);

/// An answer of two bytes.
pub(super) const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// The end of a check without complaint.
pub(super) fn passed() -> Check {
    Ok(Verdict::Passed)
}

/// An origin server for one check alone, so that its journal is.
pub(super) fn start_origin() -> Result<Origin, String> {
    Origin::start(Config::default()).map_err(|error| format!("no origin server: {error}"))
}

/// Serves `script` at a path called `name`, and gives the URL.
pub(super) fn serve(origin: &Origin, name: &str, script: Script) -> Result<String, String> {
    let served = origin.script(name, script);
    served.map_err(|error| error.to_string())?;
    Ok(origin.url(&format!("/case/{name}")))
}

/// Reads the request and holds the connection until the client leaves.
pub(super) fn hold() -> Script {
    Script::new().expect_request().stall()
}

/// Answers with [`OK`] after `delay`.
pub(super) fn answer_after(delay: Duration) -> Script {
    Script::new().expect_request().pause(delay).send(OK).close()
}

/// Closes without an answer after `delay`: the client's fetch fails.
pub(super) fn fail_after(delay: Duration) -> Script {
    Script::new().expect_request().pause(delay).close()
}

pub(super) fn get(url: &str) -> Result<Request, String> {
    Request::get(url).map_err(|error| error.to_string())
}

pub(super) fn get_all(urls: &[&str]) -> Result<Vec<Request>, String> {
    urls.iter().map(|url| get(url)).collect()
}

/// The default options with this deadline.
pub(super) fn deadline(deadline: Duration) -> Options {
    Options {
        deadline,
        ..Options::default()
    }
}

pub(super) fn at_most(in_flight: usize) -> NonZeroUsize {
    NonZeroUsize::new(in_flight).unwrap_or(NonZeroUsize::MIN)
}

/// The fetch called `what` must have succeeded with this body.
pub(super) fn expect_body(what: &str, fetched: &Fetched, body: &[u8]) -> Result<(), String> {
    match fetched {
        Ok(response) if response.body() == body => Ok(()),
        Ok(response) => Err(format!(
            "{what}: the body is {:?} and not {:?}",
            response.body(),
            bytes::Bytes::copy_from_slice(body)
        )),
        Err(error) => Err(format!("{what} failed: {}: {error}", error.kind())),
    }
}

/// The fetch called `what` must have failed with this kind.
pub(super) fn expect_kind(what: &str, fetched: &Fetched, kind: ErrorKind) -> Result<(), String> {
    match fetched {
        Err(error) if error.kind() == kind => Ok(()),
        Err(error) => Err(format!(
            "{what} is {} and not {kind}: {error}",
            error.kind()
        )),
        Ok(response) => Err(format!(
            "{what} succeeded with {} and should be {kind}",
            response.status()
        )),
    }
}

/// The fetch called `what` must have ended at its deadline: not before, and not
/// much later.
pub(super) fn expect_timeout(
    what: &str,
    fetched: &Timed<Fetched>,
    deadline: Duration,
) -> Result<(), String> {
    expect_kind(what, &fetched.result, ErrorKind::Timeout)?;
    let elapsed = fetched.elapsed;
    if elapsed + EARLY < deadline || elapsed > deadline + LATE {
        return Err(format!(
            "{what} ended after {elapsed:?}, and the deadline is {deadline:?}"
        ));
    }
    Ok(())
}

/// `elapsed` must be far below the time for which a peer would have held on.
pub(super) fn expect_prompt(what: &str, elapsed: Duration, limit: Duration) -> Result<(), String> {
    if elapsed > limit {
        return Err(format!(
            "{what} took {elapsed:?}, and {limit:?} are allowed"
        ));
    }
    Ok(())
}

/// Waits until `condition` holds; the origin notes in its own time what a
/// client did.
pub(super) fn eventually(
    what: &str,
    limit: Duration,
    mut condition: impl FnMut() -> bool,
) -> Result<(), String> {
    let until = Instant::now() + limit;
    while !condition() {
        if Instant::now() > until {
            return Err(format!("not within {limit:?}: {what}"));
        }
        sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The journal's entry of the connection that asked for `path`.
pub(super) fn connection(origin: &Origin, path: &str) -> Result<Connection, String> {
    let found = origin
        .journal()
        .into_iter()
        .find(|connection| connection.target.as_deref() == Some(path));
    found.ok_or_else(|| format!("no connection asked for {path}"))
}

/// When the origin closed the connection for `path`. The client may know of it
/// before the journal does: the note follows the system call.
pub(super) fn closed_at(origin: &Origin, path: &str) -> Result<Instant, String> {
    eventually(&format!("the origin closes {path}"), AMPLE / 2, || {
        connection(origin, path).is_ok_and(|c| c.origin_fin_at.is_some())
    })?;
    let closed_at = connection(origin, path)?.origin_fin_at;
    closed_at.ok_or_else(|| format!("{path} is not closed any more"))
}

/// The client must have left the connection for `path` within [`PROMPT`] after
/// `moment`, although the server would have held it.
pub(super) fn expect_left(origin: &Origin, path: &str, moment: Instant) -> Result<(), String> {
    eventually(&format!("the client leaves {path}"), AMPLE / 2, || {
        connection(origin, path).is_ok_and(|c| c.client_left_at.is_some())
    })?;
    let left = connection(origin, path)?.client_left_at;
    let after = left.map_or(Duration::MAX, |left| left.saturating_duration_since(moment));
    expect_prompt(&format!("closing the connection for {path}"), after, PROMPT)
}

/// The path of a URL of `origin`.
pub(super) fn path_of(url: &str, address: SocketAddr) -> String {
    let prefix = format!("http://{address}");
    url.strip_prefix(&prefix).unwrap_or(url).to_owned()
}
