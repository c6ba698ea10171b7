//! What an event means, and what it does not.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use conformance::connections_made;
use fetch_core::{ErrorKind, FetchError, OnError, Options, Request, Response, Stage};
use origin::{Config, Origin, Script};
use stage3_event_loop::parent::{Batch, Others, Parent};
use stage3_event_loop::{EventLoop, event_loop};

const MEBIBYTE: usize = 1 << 20;

fn within(deadline: Duration) -> Options {
    Options {
        deadline,
        ..Options::default()
    }
}

fn kind(result: &Result<Response, FetchError>) -> Option<ErrorKind> {
    result.as_ref().err().map(FetchError::kind)
}

/// What a turn leaves unread causes no event, so the loop has to
/// remember. Here all of it has come before the turn begins; and for six fetches,
/// since a window that opens late can cause an event all the same.
#[test]
fn more_than_a_turn_can_read_is_read_in_several() {
    let origin = Origin::start(Config::default()).unwrap();
    // The first part only opens the window that the second needs.
    let parts = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 4200000\r\n\r\n")
        .fill(4_000_000)
        .pause(Duration::from_millis(300))
        .fill(200_000)
        .stall();
    origin.script("parts", parts).unwrap();
    let mut requests = vec![Request::get(&origin.url("/delay/200/1")).unwrap()];
    requests.resize(7, Request::get(&origin.url("/case/parts")).unwrap());
    let options = within(Duration::from_secs(5));
    // The end of the first fetch keeps the loop busy while the rest comes.
    let mut parent = InOrder::new(&requests, &options, Duration::from_millis(500));
    event_loop::run(&options, requests.len(), &mut parent);
    assert_eq!(parent.finished[0], 0);
    for result in &parent.batch.into_results()[1..] {
        assert_eq!(result.as_ref().unwrap().body().len(), 4_200_000);
    }
}

/// A peer that always has something to say keeps neither the others from
/// their bytes nor its own deadline from coming.
#[test]
fn a_peer_that_floods_starves_nobody() {
    let flood = flood_of_interim_heads(Duration::from_secs(5));
    let origin = Origin::start(Config::default()).unwrap();
    let requests = [
        Request::get(&format!("http://{flood}/")).unwrap(),
        Request::get(&origin.url("/drip/20/5")).unwrap(),
    ];
    let options = within(Duration::from_secs(2));
    let mut parent = InOrder::new(&requests, &options, Duration::ZERO);
    let start = Instant::now();
    event_loop::run(&options, requests.len(), &mut parent);

    assert_eq!(parent.finished, [1, 0]);
    let results = parent.batch.into_results();
    assert_eq!(kind(&results[0]), Some(ErrorKind::Timeout));
    assert_eq!(results[1].as_ref().unwrap().body().len(), 20);
    assert!(start.elapsed() < Duration::from_secs(4));
}

/// Sends heads to skip, as fast as they are taken and for as long.
fn flood_of_interim_heads(time: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let heads = "HTTP/1.1 102 Processing\r\n\r\n".repeat(2000);
        let start = Instant::now();
        while start.elapsed() < time && stream.write_all(heads.as_bytes()).is_ok() {}
    });
    address
}

/// A batch that writes down in which order its children end, and takes its
/// time over the first.
struct InOrder<'a> {
    batch: Batch<'a>,
    finished: Vec<usize>,
    dawdle: Duration,
}

impl<'a> InOrder<'a> {
    fn new(requests: &'a [Request], options: &Options, dawdle: Duration) -> Self {
        InOrder {
            batch: Batch::new(requests, options),
            finished: Vec::new(),
            dawdle,
        }
    }
}

impl<'a> Parent<'a> for InOrder<'a> {
    fn next_child(&mut self) -> Option<(usize, &'a Request)> {
        self.batch.next_child()
    }

    fn child_finished(&mut self, id: usize, result: Result<Response, FetchError>) -> Others {
        self.finished.push(id);
        thread::sleep(std::mem::take(&mut self.dawdle));
        self.batch.child_finished(id, result)
    }

    fn is_over(&self) -> bool {
        self.batch.is_over()
    }
}

#[test]
fn a_drip_does_not_move_the_deadline() {
    let origin = Origin::start(Config::default()).unwrap();
    let request = Request::get(&origin.url("/drip/5000/1")).unwrap();
    let start = Instant::now();
    let results = EventLoop.fetch_all(vec![request], &within(Duration::from_millis(300)));
    assert_eq!(kind(&results[0]), Some(ErrorKind::Timeout));
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(300), "{elapsed:?}");
    assert!(elapsed < Duration::from_secs(3), "{elapsed:?}");
}

/// Partial writes: the peer reads nothing for a while, and everything then.
#[test]
fn a_large_body_waits_for_a_peer_that_does_not_read() {
    let origin = Origin::start(Config::default()).unwrap();
    let late = Script::new()
        .expect_head()
        .pause(Duration::from_millis(300))
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        .close();
    origin.script("late", late).unwrap();
    let never = Script::new().expect_head().stall_unread();
    origin.script("never", never).unwrap();
    let post = |name: &str| {
        let no_fields: [(&str, &str); 0] = [];
        let url = origin.url(&format!("/case/{name}"));
        Request::new("POST", &url, no_fields, vec![b'x'; 16 * MEBIBYTE]).unwrap()
    };
    let requests = vec![post("late"), post("never")];
    let results = EventLoop.fetch_all(requests, &within(Duration::from_secs(3)));
    assert_eq!(results[0].as_ref().unwrap().body().as_ref(), b"ok");
    assert_eq!(kind(&results[1]), Some(ErrorKind::Timeout));
    let journal = origin.journal();
    let late = journal
        .iter()
        .find(|c| c.target.as_deref() == Some("/case/late"));
    assert!(late.unwrap().request_bytes > 16 * MEBIBYTE as u64);
}

/// Each side writes more than the buffers between them hold before it reads:
/// whoever sends without listening waits for ever.
#[test]
fn both_directions_are_open_at_once() {
    let origin = Origin::start(Config::default()).unwrap();
    let length = 8 * MEBIBYTE + 2;
    let talks_first = Script::new()
        .expect_head()
        .send(format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n"
        ))
        .fill(8 * MEBIBYTE as u64)
        .expect_request()
        .send("ok")
        .close();
    origin.script("talks-first", talks_first).unwrap();
    let no_fields: [(&str, &str); 0] = [];
    let url = origin.url("/case/talks-first");
    let request = Request::new("POST", &url, no_fields, vec![b'x'; 16 * MEBIBYTE]).unwrap();
    let results = EventLoop.fetch_all(vec![request], &within(Duration::from_secs(10)));
    let response = results[0].as_ref().unwrap();
    assert_eq!(response.body().len(), length);
    assert!(response.body().ends_with(b"ok"));
}

/// A reset is reported once, and the write that comes first gets it. The body
/// that then seems to end runs to the close, and must not count as whole.
#[test]
fn a_reset_that_a_write_saw_is_no_clean_end() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 10]).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhalf").unwrap();
        thread::sleep(Duration::from_millis(100));
        // With bytes of ours unread, this resets the connection.
    });
    let no_fields: [(&str, &str); 0] = [];
    let url = format!("http://{address}/");
    let request = Request::new("POST", &url, no_fields, vec![b'x'; 32 * MEBIBYTE]).unwrap();
    let results = EventLoop.fetch_all(vec![request], &within(Duration::from_secs(10)));
    server.join().unwrap();
    assert_eq!(kind(&results[0]), Some(ErrorKind::BodyTruncated));
}

/// The peer will say nothing, and does not read either. That its end stays to be
/// read must neither be overlooked nor keep the loop awake (hyper#4086).
#[test]
fn a_half_close_ends_the_fetch_while_it_sends() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        stream
    });
    let no_fields: [(&str, &str); 0] = [];
    let url = format!("http://{address}/");
    let request = Request::new("POST", &url, no_fields, vec![b'x'; 32 * MEBIBYTE]).unwrap();
    let results = EventLoop.fetch_all(vec![request], &within(Duration::from_secs(5)));
    let _open_until_now = server.join().unwrap();
    assert_eq!(kind(&results[0]), Some(ErrorKind::Disconnected));
}

#[test]
fn a_failure_closes_the_others_at_once() {
    let origin = Origin::start(Config::default()).unwrap();
    let fails = Script::new()
        .expect_request()
        .pause(Duration::from_millis(200))
        .reset();
    origin.script("fails", fails).unwrap();
    let paths = ["/delay/10000/1", "/case/fails", "/drip/10000/1", "/bytes/1"];
    let requests = paths.map(|path| Request::get(&origin.url(path)).unwrap());
    let options = Options {
        on_error: OnError::CancelOthers,
        max_in_flight: 3.try_into().unwrap(),
        ..Options::default()
    };
    let start = Instant::now();
    let results = EventLoop.fetch_all(requests.into(), &options);
    assert!(start.elapsed() < Duration::from_secs(2));
    let kinds: Vec<_> = results.iter().map(kind).collect();
    let cancelled = Some(ErrorKind::Cancelled);
    let expected = [
        cancelled,
        Some(ErrorKind::Disconnected),
        cancelled,
        cancelled,
    ];
    assert_eq!(kinds, expected);
    assert_eq!(connections_made(&origin), Ok(3), "the last was not begun");
    while origin.open_connections() > 0 {
        assert!(start.elapsed() < Duration::from_secs(3), "still open");
        thread::sleep(Duration::from_millis(10));
    }
}

/// mio hands EINTR on. Stopping and continuing a process ends its
/// `epoll_wait` so (signal(7)).
#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_poll_and_not_the_fetch() {
    use std::process::{Command, Stdio};

    let mut program = Command::new(env!("CARGO_BIN_EXE_stage3-event-loop"))
        .args(["/delay/800/5"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = program.id().to_string();
    let signal = |name: &str| Command::new("kill").args([name, &id]).status().unwrap();
    for _ in 0..5 {
        thread::sleep(Duration::from_millis(80));
        assert!(signal("-STOP").success());
        thread::sleep(Duration::from_millis(20));
        assert!(signal("-CONT").success());
    }
    assert!(program.wait().unwrap().success());
}
