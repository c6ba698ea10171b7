//! One case against one stage, over sockets.

use std::thread::sleep;
use std::time::Duration;

use fetch_core::{ErrorKind, FetchError, Options, Request};
use origin::{Script, Step};

use crate::case::{Case, End, Expected, ReadRequest, Target};
use crate::delivery::Delivery;
use crate::judge::{self, Latitude};
use crate::servers::{Servers, port_80_is_taken};
use crate::subject::{Fetched, Subject, Timed};
use crate::{Check, Verdict};

/// The deadline of a case that should run into it.
const SHORT_DEADLINE: Duration = Duration::from_millis(800);

/// The deadline of every other case.
const LONG_DEADLINE: Duration = Duration::from_secs(20);

/// How far a timeout may be from its deadline: a little early, since clocks are
/// read at different moments, and much later on a loaded machine.
const EARLY: Duration = Duration::from_millis(50);
const LATE: Duration = Duration::from_secs(5);

/// Runs `case` as given, in one write, and at seeded cuts.
///
/// # Errors
///
/// All that is needed to understand the failure, in words.
pub fn run_case(subject: &Subject, case: &Case) -> Check {
    let echo_port = Servers::shared()?.echo.port();
    for delivery in Delivery::all_of(case) {
        let latitude = latitude(case, &delivery);
        let (url, results) = match play(subject, case, &delivery)? {
            Played::Results { url, results } => (url, results),
            Played::Skipped(reason) => return Ok(Verdict::Skipped(reason)),
        };
        for fetched in results {
            judge::judge(case, &fetched.result, latitude, echo_port)
                .and_then(|()| check_time(case, &delivery, &fetched))
                .map_err(|why| judge::report(case, &url, &delivery, &fetched.result, &why))?;
        }
    }
    Ok(Verdict::Passed)
}

/// What the fetches of a case came to.
#[derive(Debug)]
pub enum Played {
    /// They were made.
    Results {
        /// What was fetched.
        url: String,
        /// As many as the case has repetitions.
        results: Vec<Timed<Fetched>>,
    },
    /// The case cannot be played on this machine, for this reason.
    Skipped(String),
}

/// Makes the fetches of `case`, delivered in that way, and judges nothing.
///
/// # Errors
///
/// In words: there is no server to play it, or the stage panicked or hung.
pub fn play(subject: &Subject, case: &Case, delivery: &Delivery) -> Result<Played, String> {
    let servers = Servers::shared()?;
    if let Some(reason) = reason_to_skip(case, servers) {
        return Ok(Played::Skipped(reason));
    }
    let url = set_up(case, delivery, servers)?;
    let mut results = Vec::with_capacity(case.repetitions);
    for repetition in 0..case.repetitions {
        if repetition > 0 {
            sleep(case.pauses.gap);
        }
        results.push(match case.request_to(&url) {
            Ok(request) => fetch(subject, request, case, delivery)?,
            Err(error) => Timed {
                result: Err(error),
                elapsed: Duration::ZERO,
            },
        });
    }
    Ok(Played::Results { url, results })
}

fn reason_to_skip(case: &Case, servers: &Servers) -> Option<String> {
    let Target::Echo(url) = &case.request.target else {
        return None;
    };
    if url.contains("[::1]") && !servers.ipv6 {
        return Some("no IPv6 on this machine".into());
    }
    let request = Request::get(&fill_in(url, servers)).ok()?;
    (request.port() == 80 && port_80_is_taken())
        .then(|| "something listens on port 80 of this machine".into())
}

/// Makes the server ready, and gives the URL to fetch.
fn set_up(case: &Case, delivery: &Delivery, servers: &Servers) -> Result<String, String> {
    match &case.request.target {
        Target::Echo(url) => Ok(fill_in(url, servers)),
        Target::Refused => Ok(format!("http://{}/", servers.refused.address())),
        Target::Script if case.own_port => {
            let address = servers.origin.listen(script(case, delivery));
            let address = address.map_err(|error| format!("no listener: {error}"))?;
            Ok(format!("http://{address}/case/{}", case.id))
        }
        Target::Script => {
            let script = script(case, delivery);
            servers
                .origin
                .script(&case.id, script)
                .map_err(|error| error.to_string())?;
            Ok(servers.origin.url(&format!("/case/{}", case.id)))
        }
    }
}

fn fill_in(url: &str, servers: &Servers) -> String {
    let port = servers.echo.port().to_string();
    url.replace("{HOST}", "127.0.0.1").replace("{PORT}", &port)
}

fn script(case: &Case, delivery: &Delivery) -> Script {
    let pause = |script: Script, time: Duration| match time {
        Duration::ZERO => script,
        time => script.pause(time),
    };
    let mut script = match case.read_request {
        ReadRequest::Whole => Script::new().expect_request(),
        ReadRequest::Head => Script::new().expect_head(),
        ReadRequest::None => Script::new(),
    };
    script = pause(script, case.pauses.before);
    let (pieces, between) = delivery.pieces(case);
    for (position, piece) in pieces.into_iter().enumerate() {
        if position > 0 {
            script = pause(script, between);
        }
        script = script.send(piece);
    }
    script = pause(script, case.pauses.after);
    script.step(match case.end {
        End::Close => Step::Close,
        End::Reset => Step::Reset,
        End::ShutdownWrite => Step::Fin,
        End::KeepOpen => Step::Stall,
        End::KeepOpenUnread => Step::StallUnread,
    })
}

fn fetch(
    subject: &Subject,
    request: Request,
    case: &Case,
    delivery: &Delivery,
) -> Result<Timed<Fetched>, String> {
    let defaults = Options::default();
    let options = Options {
        deadline: deadline(case, delivery),
        max_body_bytes: case.max_body_bytes.unwrap_or(defaults.max_body_bytes),
        ..defaults
    };
    subject.fetch(request, &options).map_err(|why| {
        let lost = Err(FetchError::Io {
            reason: "no result".into(),
        });
        judge::report(case, "its URL", delivery, &lost, &why)
    })
}

fn deadline(case: &Case, delivery: &Delivery) -> Duration {
    let may_time_out = case.expected == Expected::Error(ErrorKind::Timeout)
        || latitude(case, delivery) == Latitude::MalformedHeadCut;
    if may_time_out {
        SHORT_DEADLINE
    } else {
        LONG_DEADLINE
    }
}

/// hyper stops judging a partial head until its blank line comes, and nobody
/// need be stricter.
fn latitude(case: &Case, delivery: &Delivery) -> Latitude {
    match delivery {
        Delivery::Cut { .. } if case.has_malformed_head() => Latitude::MalformedHeadCut,
        _ => Latitude::None,
    }
}

fn check_time(case: &Case, delivery: &Delivery, fetched: &Timed<Fetched>) -> Result<(), String> {
    let deadline = deadline(case, delivery);
    let elapsed = fetched.elapsed;
    let timed_out = matches!(&fetched.result, Err(e) if e.kind() == ErrorKind::Timeout);
    if timed_out && elapsed + EARLY < deadline {
        return Err(format!(
            "a timeout after {elapsed:?}, before the deadline of {deadline:?}"
        ));
    }
    if elapsed > deadline + LATE {
        return Err(format!(
            "it took {elapsed:?}, and the deadline was {deadline:?}"
        ));
    }
    Ok(())
}
