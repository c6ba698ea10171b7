//! How many are in flight, and how many exist.

use std::error::Error;

use ex28_limit_in_flight::{Source, by_channel, by_semaphore, by_stream};
use fetch_core::{FetchError, Request};
use origin::{Config, Origin};
use tokio::runtime::Builder;

type TestResult = Result<(), Box<dyn Error>>;

const LIMIT: usize = 4;
const JOBS: usize = 60;

/// A place each, room for as many in a channel, and one in the hands of each
/// end.
const FEW: usize = 2 * LIMIT + 2;

#[test]
fn with_a_stream_few_requests_exist_at_once() -> TestResult {
    few_requests_exist_at_once("stream")
}

#[test]
fn with_a_semaphore_few_requests_exist_at_once() -> TestResult {
    few_requests_exist_at_once("semaphore")
}

#[test]
fn with_a_channel_few_requests_exist_at_once() -> TestResult {
    few_requests_exist_at_once("channel")
}

#[test]
fn with_a_stream_the_limit_holds() -> TestResult {
    the_limit_holds("stream")
}

#[test]
fn with_a_semaphore_the_limit_holds() -> TestResult {
    the_limit_holds("semaphore")
}

#[test]
fn with_a_channel_the_limit_holds() -> TestResult {
    the_limit_holds("channel")
}

#[test]
fn with_a_semaphore_a_slow_request_holds_up_no_other() -> TestResult {
    a_slow_request_holds_up_no_other("semaphore")
}

#[test]
fn with_a_channel_a_slow_request_holds_up_no_other() -> TestResult {
    a_slow_request_holds_up_no_other("channel")
}

#[test]
fn no_source_is_too_short() -> TestResult {
    for way in ["stream", "semaphore", "channel"] {
        for jobs in [0, 1, LIMIT, LIMIT + 1] {
            let crawled = crawl(way, &vec!["/bytes/1"; jobs])?;
            assert_eq!(crawled.succeeded, jobs, "{way}: there were {jobs} requests");
        }
    }
    Ok(())
}

#[test]
fn one_that_fails_is_not_counted() -> TestResult {
    for way in ["stream", "semaphore", "channel"] {
        // A body of a gigabyte is more than a fetch takes.
        let crawled = crawl(way, &["/bytes/1", "/bytes/1000000000", "/bytes/1"])?;
        assert_eq!(crawled.succeeded, 2, "{way}: one of three fails");
    }
    Ok(())
}

fn few_requests_exist_at_once(way: &str) -> TestResult {
    let crawled = crawl(way, &["/delay/10/1"; JOBS])?;
    assert_eq!(crawled.succeeded, JOBS, "{way}: there were {JOBS} requests");
    let most = crawled.existed;
    assert!(
        most <= FEW,
        "{way}: {most} requests existed at once, and there are {LIMIT} places: whoever makes them \
         is not made to wait"
    );
    eprintln!("{way}: {most} of {JOBS} requests existed at once");
    Ok(())
}

fn the_limit_holds(way: &str) -> TestResult {
    let crawled = crawl(way, &["/delay/50/1"; 5 * LIMIT])?;
    assert_eq!(crawled.succeeded, 5 * LIMIT, "{way}: not all were fetched");
    let most = crawled.in_flight;
    assert!(
        most <= LIMIT,
        "{way}: {most} connections were open at once, and the limit is {LIMIT}"
    );
    assert!(
        most == LIMIT,
        "{way}: at most {most} connections were open at once, so of {LIMIT} places not all are \
         made use of"
    );
    eprintln!("{way}: {most} connections at once");
    Ok(())
}

/// Among the first is one that takes long. The other places are to go on.
fn a_slow_request_holds_up_no_other(way: &str) -> TestResult {
    let mut paths = vec!["/delay/800/1"];
    paths.extend(["/bytes/1"; 5 * LIMIT]);
    let crawled = crawl(way, &paths)?;
    assert_eq!(crawled.succeeded, paths.len(), "{way}: not all was fetched");
    let late = crawled.begun_after_the_first_ended;
    // On a busy machine some may be late; who waits for the slow one makes
    // nearly all wait.
    assert!(
        late < paths.len() / 2,
        "{way}: {late} of {} requests were begun only when the slow one was done, though places \
         were free",
        paths.len()
    );
    Ok(())
}

struct Crawled {
    succeeded: usize,
    /// Requests that existed at once, at most.
    existed: usize,
    /// Connections that the origin had at once, at most.
    in_flight: usize,
    begun_after_the_first_ended: usize,
}

/// Fetches `paths` from an origin, all on this thread.
fn crawl(way: &str, paths: &[&str]) -> Result<Crawled, Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let requests: Result<Vec<Request>, FetchError> = paths
        .iter()
        .map(|path| Request::get(&origin.url(path)))
        .collect();
    let source = Source::new(requests?.into_iter());
    let counter = source.counter();
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let succeeded = runtime.block_on(async {
        match way {
            "semaphore" => by_semaphore(source, LIMIT).await,
            "channel" => by_channel(source, LIMIT).await,
            _ => by_stream(source, LIMIT).await,
        }
    });
    let journal = origin.journal();
    let first = journal
        .iter()
        .find(|c| c.target.as_deref() == paths.first().copied());
    let end = first.and_then(|connection| connection.response_done_at);
    let late = journal
        .iter()
        .filter(|c| end.is_some_and(|end| c.opened > end));
    Ok(Crawled {
        succeeded,
        existed: counter.most(),
        in_flight: origin.peak_in_flight(),
        begun_after_the_first_ended: late.count(),
    })
}
