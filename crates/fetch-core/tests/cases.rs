//! Every case of the conformance suite, without sockets: whole, cut at every
//! single byte, byte by byte, and with bytes after the end.

mod feed;

use std::time::Duration;

use bytes::Buf;
use conformance::{Case, End, Expected, Latitude, Target, cases, judge};
use feed::{Ending, feed};
use fetch_core::{FetchError, Options, Response};

/// Cutting at every byte costs the square of the length.
const CUT_EVERYWHERE: usize = 8 * 1024;

#[test]
fn whole() {
    for case in played() {
        run(case, &[], &case.response_bytes());
    }
}

#[test]
fn as_given() {
    for case in played().filter(|case| !is_too_slow(case)) {
        let pieces = case.segments.iter().map(|segment| &segment[..]);
        let fetched = feed(&case.method(), pieces, ending(case), cap(case));
        expect(case, &fetched, Latitude::None, "as given");
    }
}

#[test]
fn cut_in_two_at_every_byte() {
    for case in played().filter(may_be_cut) {
        let bytes = case.response_bytes();
        if bytes.len() <= CUT_EVERYWHERE {
            for cut in 1..bytes.len() {
                run(case, &[cut], &bytes);
            }
        }
    }
}

#[test]
fn byte_by_byte() {
    for case in played().filter(may_be_cut) {
        let bytes = case.response_bytes();
        if bytes.len() <= CUT_EVERYWHERE {
            run(case, &(1..bytes.len()).collect::<Vec<_>>(), &bytes);
        }
    }
}

/// As they come out of a socket whose buffer is no power of two.
#[test]
fn in_pieces_of_1000_bytes() {
    for case in played().filter(may_be_cut) {
        let bytes = case.response_bytes();
        run(
            case,
            &(1000..bytes.len()).step_by(1000).collect::<Vec<_>>(),
            &bytes,
        );
    }
}

/// Where the body has an end of its own, what follows changes nothing: not in
/// the same read, and not in a later one.
#[test]
fn bytes_after_the_end() {
    const AFTER: &[u8] = b"0\r\n\r\nHTTP/1.1 500 Boom\r\nContent-Length: 0\r\n\r\n";
    let mut ends_by_itself = 0;
    for case in played() {
        let bytes = case.response_bytes();
        let method = case.method();
        let open = feed(&method, [&bytes[..]], Ending::Open, cap(case));
        if !matches!(case.expected, Expected::Response(_)) || open.is_err() {
            continue;
        }
        ends_by_itself += 1;
        let longer = [&bytes, AFTER].concat();
        let together = feed(&method, [&longer[..]], ending(case), cap(case));
        expect(case, &together, Latitude::None, "with bytes after the end");
        let bytewise = feed(&method, longer.chunks(1), ending(case), cap(case));
        expect(
            case,
            &bytewise,
            Latitude::None,
            "byte by byte, with bytes after the end",
        );
    }
    assert!(
        ends_by_itself > 100,
        "{ends_by_itself} cases are not most of them"
    );
}

/// Cases of a URL, method or field: the error before anything is sent, or what
/// goes on the wire.
#[test]
fn requests() {
    const PORT: &str = "8080";
    for case in cases() {
        let Target::Echo(url) = &case.request.target else {
            continue;
        };
        let url = url.replace("{HOST}", "127.0.0.1").replace("{PORT}", PORT);
        let request = case.request_to(&url);
        match (&case.expected, request) {
            (Expected::Response(expected), Ok(request)) => {
                let target = expected.request_target.as_deref();
                let mut outgoing = request.encode();
                let sent = outgoing.copy_to_bytes(outgoing.remaining());
                let line = format!(
                    "{} {} HTTP/1.1\r\n",
                    case.request.method,
                    target.unwrap_or("/")
                );
                assert!(sent.starts_with(line.as_bytes()), "{}: {sent:?}", case.id);
                let host = expected.host_header.as_deref().unwrap_or_default();
                let host = host.replace("{PORT}", PORT);
                assert_eq!(request.headers()["host"], host, "{}", case.id);
            }
            (Expected::Error(kind), Err(error)) => {
                assert_eq!(error.kind(), *kind, "{}: {error}", case.id);
            }
            // The URL is fine, and nothing listens there.
            (Expected::Error(kind), Ok(_)) => {
                assert_eq!(kind.as_str(), "connect-refused", "{} is accepted", case.id);
            }
            (Expected::Response(_), Err(error)) => panic!("{}: {error}", case.id),
        }
    }
}

/// The cases in which a server plays a response.
fn played() -> impl Iterator<Item = &'static Case> {
    cases()
        .iter()
        .filter(|case| case.request.target == Target::Script)
}

fn may_be_cut(case: &&Case) -> bool {
    !case.only_as_given
}

/// Its pauses are what makes it fail, and here is no time.
fn is_too_slow(case: &Case) -> bool {
    let pauses = u32::try_from(case.segments.len()).unwrap_or(u32::MAX);
    case.pauses.between * pauses > Duration::from_millis(800)
}

fn ending(case: &Case) -> Ending {
    match case.end {
        End::Close | End::ShutdownWrite => Ending::Eof,
        End::Reset => Ending::Reset,
        End::KeepOpen | End::KeepOpenUnread => Ending::Open,
    }
}

fn cap(case: &Case) -> u64 {
    case.max_body_bytes
        .unwrap_or(Options::default().max_body_bytes)
}

/// Feeds `bytes`, cut before each of `cuts`.
fn run(case: &Case, cuts: &[usize], bytes: &[u8]) {
    if case.only_as_given && case.segments.len() > 1 {
        return;
    }
    let mut begins = vec![0];
    begins.extend(cuts);
    let ends = cuts.iter().copied().chain([bytes.len()]);
    let pieces = begins
        .iter()
        .zip(ends)
        .map(|(&begin, end)| &bytes[begin..end]);
    let fetched = feed(&case.method(), pieces, ending(case), cap(case));
    let latitude = if case.has_malformed_head() && cuts.iter().any(|&cut| cut < head_end(bytes)) {
        Latitude::MalformedHeadCut
    } else {
        Latitude::None
    };
    expect(case, &fetched, latitude, &format!("cut at {cuts:?}"));
}

/// Where the last blank line ends; the length, if there is none.
fn head_end(bytes: &[u8]) -> usize {
    let crlf = bytes.windows(4).rposition(|four| four == b"\r\n\r\n");
    let lf = bytes.windows(2).rposition(|two| two == b"\n\n");
    crlf.map(|at| at + 4)
        .max(lf.map(|at| at + 2))
        .unwrap_or(bytes.len())
}

fn expect(case: &Case, fetched: &Result<Response, FetchError>, latitude: Latitude, how: &str) {
    if let Err(why) = judge(case, fetched, latitude, 0) {
        panic!(
            "{} ({}), {how}: {why}\ngot {fetched:?}",
            case.id, case.title
        );
    }
}
