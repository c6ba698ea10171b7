//! The fetch by hand and the fetch by the compiler are the same fetch.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::future::Future;
use std::net::{Shutdown, TcpListener};
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::{Duration, Instant};

use conformance::connections_made;
use fetch_core::{ErrorKind, FetchError, OnError, Options, Request, Response, Stage};
use origin::{Config, Origin, Script};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;
use stage4_hand_rolled_future::{HandRolledFuture, Written, by_compiler, by_hand};

type Fetch = Pin<Box<dyn Future<Output = Result<Response, FetchError>>>>;

const BOTH: [Written; 2] = [Written::ByHand, Written::ByCompiler];

fn fetch(written: Written, runtime: &Runtime, url: &str, options: &Options) -> Fetch {
    let request = Request::get(url).unwrap();
    let (options, reactor) = (Rc::new(options.clone()), Rc::clone(runtime.reactor()));
    match written {
        Written::ByHand => Box::pin(by_hand::fetch(0, request, options, reactor)),
        Written::ByCompiler => Box::pin(by_compiler::fetch(0, request, options, reactor)),
    }
}

fn pause(runtime: &Runtime, milliseconds: u64) -> Sleep {
    let moment = Instant::now() + Duration::from_millis(milliseconds);
    Sleep::until(runtime.reactor(), 0, moment)
}

fn eventually(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(
            start.elapsed() < Duration::from_secs(2),
            "{what}: not in time"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn the_results_are_equal() {
    let origin = Origin::start(Config::default()).unwrap();
    let broken = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    origin.script("broken", broken.close()).unwrap();
    let paths = [
        "/bytes/100000",
        "/chunked/5000",
        "/drip/20/2",
        "/status/404",
        "/echo",
        "/case/broken",
    ];
    let requests = || -> Vec<_> {
        let urls = paths.iter().map(|path| origin.url(path));
        urls.map(|url| Request::get(&url).unwrap()).collect()
    };
    let options = Options::default();
    let [by_hand, by_compiler] =
        BOTH.map(|fetch| HandRolledFuture { fetch }.fetch_all(requests(), &options));
    assert_eq!(by_hand.len(), paths.len());
    for (by_hand, by_compiler) in by_hand.iter().zip(&by_compiler) {
        match (by_hand, by_compiler) {
            (Ok(one), Ok(other)) => {
                assert_eq!(one.status(), other.status());
                assert_eq!(one.headers(), other.headers());
                assert_eq!(one.body(), other.body());
            }
            (one, other) => assert_eq!(one.as_ref().err(), other.as_ref().err()),
        }
    }
    assert_eq!(
        by_hand[5].as_ref().unwrap_err().kind(),
        ErrorKind::BodyTruncated
    );
}

#[test]
fn a_future_that_is_not_polled_does_nothing() {
    for written in BOTH {
        let origin = Origin::start(Config::default()).unwrap();
        let runtime = Runtime::new().unwrap();
        let fetch = fetch(
            written,
            &runtime,
            &origin.url("/bytes/1"),
            &Options::default(),
        );
        runtime.block_on(pause(&runtime, 50)).unwrap();
        assert_eq!(connections_made(&origin), Ok(0));
        drop(fetch);
    }
}

#[test]
fn dropping_closes_the_connection_and_takes_nothing_back() {
    let origin = Origin::start(Config::default()).unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n";
    origin
        .script(
            "in-head",
            Script::new().expect_request().send("HTTP/1.1 200").stall(),
        )
        .unwrap();
    origin
        .script(
            "in-body",
            Script::new()
                .expect_request()
                .send(head)
                .send("abc")
                .stall(),
        )
        .unwrap();
    for written in BOTH {
        for path in ["/case/in-head", "/case/in-body"] {
            origin.clear_journal();
            let runtime = Runtime::new().unwrap();
            let task = runtime.spawn(fetch(
                written,
                &runtime,
                &origin.url(path),
                &Options::default(),
            ));
            // Its socket and its deadline; and the origin has the request.
            let came = || {
                let journal = origin.journal();
                journal.iter().any(|seen| seen.request_whole_at.is_some())
            };
            let start = Instant::now();
            while !came() || runtime.reactor().registered() != (1, 1) {
                assert!(start.elapsed() < Duration::from_secs(10), "{path}");
                runtime.block_on(pause(&runtime, 20)).unwrap();
            }

            drop(task);
            assert_eq!(runtime.reactor().registered(), (0, 0));
            eventually("the origin sees it leave", || {
                let journal = origin.journal();
                journal.iter().any(|seen| seen.client_left_at.is_some())
            });
        }
    }
}

#[test]
fn a_fetch_may_move_to_another_task_while_it_waits() {
    let origin = Origin::start(Config::default()).unwrap();
    for written in BOTH {
        let runtime = Runtime::new().unwrap();
        let options = Options::default();
        let mut fetch = fetch(written, &runtime, &origin.url("/delay/500/3"), &options);
        let first = runtime.block_on(async {
            for _ in 0..3 {
                let polled = std::future::poll_fn(|cx| Poll::Ready(fetch.as_mut().poll(cx)));
                assert!(polled.await.is_pending());
                pause(&runtime, 5).await;
            }
        });
        first.unwrap();
        // The task that polled it first is gone, and its waker is no use.
        let task = runtime.spawn(fetch);
        let response = runtime.block_on(task).unwrap().unwrap();
        assert_eq!(response.body().len(), 3);
    }
}

#[test]
fn sending_goes_on_while_the_answer_comes() {
    let origin = Origin::start(Config::default()).unwrap();
    let pause = Duration::from_millis(50);
    let interim = Script::new()
        .expect_head()
        .send("HTTP/1.1 100 Continue\r\n\r\n")
        .pause(pause)
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nboth");
    let streamed = Script::new()
        .expect_head()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbo")
        .pause(pause)
        .expect_request()
        .send("th");
    origin.script("interim", interim.close()).unwrap();
    origin.script("streamed", streamed.close()).unwrap();
    let options = Options {
        deadline: Duration::from_secs(10),
        ..Options::default()
    };
    for fetch in BOTH {
        for path in ["/case/interim", "/case/streamed"] {
            let body = vec![b'u'; 8 << 20];
            let no_fields: [(&str, &str); 0] = [];
            let request = Request::new("POST", &origin.url(path), no_fields, body).unwrap();
            let results = HandRolledFuture { fetch }.fetch_all(vec![request], &options);
            let response = results[0].as_ref().map(|response| response.body().as_ref());
            assert_eq!(response, Ok(&b"both"[..]), "{path}");
        }
    }
}

/// The peer will say nothing, and does not read either. That its end stays to be
/// read must neither be overlooked nor keep the reactor awake (hyper#4086).
#[test]
fn a_half_close_ends_the_fetch_while_it_sends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        BOTH.map(|_| {
            let (stream, _) = listener.accept().unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            stream
        })
    });
    let options = Options {
        deadline: Duration::from_secs(5),
        ..Options::default()
    };
    for fetch in BOTH {
        let no_fields: [(&str, &str); 0] = [];
        let request = Request::new("POST", &url, no_fields, vec![b'u'; 32 << 20]).unwrap();
        let results = HandRolledFuture { fetch }.fetch_all(vec![request], &options);
        let kind = results[0].as_ref().unwrap_err().kind();
        assert_eq!(kind, ErrorKind::Disconnected, "{fetch:?}");
    }
    let _open_until_now = server.join().unwrap();
}

#[test]
fn cancelling_keeps_what_is_done_and_starts_no_more() {
    let origin = Origin::start(Config::default()).unwrap();
    origin
        .script(
            "breaks",
            Script::new()
                .expect_request()
                .pause(Duration::from_millis(150))
                .close(),
        )
        .unwrap();
    let urls = [
        "/bytes/5",
        "/case/breaks",
        "/delay/10000/1",
        "/delay/10000/1",
        "/bytes/5",
    ];
    let options = Options {
        max_in_flight: std::num::NonZeroUsize::new(3).unwrap(),
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    for fetch in BOTH {
        origin.clear_journal();
        let requests = urls
            .iter()
            .map(|path| Request::get(&origin.url(path)).unwrap());
        let start = Instant::now();
        let results = HandRolledFuture { fetch }.fetch_all(requests.collect(), &options);
        assert!(start.elapsed() < Duration::from_secs(5));
        let kinds: Vec<_> = results
            .iter()
            .map(|result| result.as_ref().err().map(FetchError::kind))
            .collect();
        let cancelled = Some(ErrorKind::Cancelled);
        assert_eq!(
            kinds,
            [
                None,
                Some(ErrorKind::Disconnected),
                cancelled,
                cancelled,
                cancelled
            ]
        );
        assert_eq!(origin.journal().len(), 4, "the last was never sent");
    }
}

#[test]
fn far_more_requests_than_places() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/bytes/1")).unwrap();
    let options = Options {
        max_in_flight: std::num::NonZeroUsize::new(20).unwrap(),
        ..Options::default()
    };
    for fetch in BOTH {
        let results = HandRolledFuture { fetch }.fetch_all(vec![request.clone(); 3000], &options);
        assert_eq!(results.len(), 3000);
        assert!(results.iter().all(Result::is_ok));
        assert!(origin.peak_in_flight() <= 20);
    }
}
