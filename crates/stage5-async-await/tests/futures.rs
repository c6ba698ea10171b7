//! What a future is before its first poll, and what dropping it does.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::pin::{Pin, pin};
use std::time::{Duration, Instant};

use fetch_core::{FetchError, Options, Request, Response};
use origin::{Config, Origin, Script};
use stage5_async_await::{fetch, with_reqwest};
use tokio::time::{sleep, timeout};

type Fetch<'a> = Pin<Box<dyn Future<Output = Result<Response, FetchError>> + 'a>>;

/// Calls `check` with the future of a fetch by each client, not yet polled.
fn with_both(request: &Request, check: impl AsyncFn(Fetch<'_>)) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let options = Options::default();
    runtime.block_on(async {
        check(Box::pin(fetch::fetch(0, request, &options))).await;
        let client = with_reqwest::client(&options).unwrap();
        check(Box::pin(with_reqwest::fetch(&client, 0, request, &options))).await;
    });
}

#[test]
fn nothing_happens_before_the_first_poll() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/5")).unwrap();
    with_both(&request, async |fetch| {
        origin.clear_journal();
        sleep(Duration::from_millis(100)).await;
        assert!(
            origin.journal().is_empty(),
            "connected before it was polled"
        );
        fetch.await.unwrap();
        assert_eq!(origin.journal().len(), 1);
    });
}

#[test]
fn dropping_closes_the_connection() {
    let origin = Origin::start(Config::default()).unwrap();
    let waits_for_head = Script::new().expect_request().stall();
    let waits_in_body = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\n\r\nhalf a body")
        .stall();
    for script in [waits_for_head, waits_in_body] {
        let address = origin.listen(script).unwrap();
        let request = Request::get(&format!("http://{address}/")).unwrap();
        with_both(&request, async |fetch| {
            origin.clear_journal();
            let given_up = timeout(Duration::from_millis(100), fetch).await;
            assert!(given_up.is_err(), "{given_up:?}");

            let dropped = Instant::now();
            let left = async || loop {
                match origin.journal().first().unwrap().client_left_at {
                    Some(left) => return left,
                    None => sleep(Duration::from_millis(5)).await,
                }
            };
            let left = timeout(Duration::from_secs(1), left()).await.unwrap();
            assert!(left.saturating_duration_since(dropped) < Duration::from_secs(1));
            let entry = origin.journal().remove(0);
            assert!(entry.request_whole_at.is_some(), "what was sent stays sent");
        });
    }
}

/// The two futures of a `join!` are one future, on one thread: both wait at
/// the same time.
#[test]
fn joined_futures_wait_side_by_side() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/delay/200/1")).unwrap();
    let options = Options::default();
    with_both(&request, async |first| {
        origin.clear_journal();
        let second = pin!(fetch::fetch(1, &request, &options));
        let (first, second) = tokio::join!(first, second);
        assert!(first.is_ok() && second.is_ok());
        assert_eq!(origin.peak_in_flight(), 2);
    });
}
