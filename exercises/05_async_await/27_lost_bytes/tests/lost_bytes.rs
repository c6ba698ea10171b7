//! A tick must not cost a byte.

use std::cell::RefCell;
use std::io;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use ex27_lost_bytes::fetch_and_tell;
use fetch_core::{FetchError, Response};
use origin::{Config, Origin, Script};
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{sleep, timeout};

type TestResult = Result<(), Box<dyn std::error::Error>>;

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

#[test]
fn an_answer_at_once_is_not_told_of() -> TestResult {
    let script = Script::new().expect_request().send(format!("{HEAD}hello"));
    let seen = fetch_from(script, Duration::from_secs(4))?;
    assert_eq!(body(&seen.response?), "hello");
    assert_eq!(
        seen.told.len(),
        0,
        "told of, and the first period was not over"
    );
    Ok(())
}

#[test]
fn an_answer_that_comes_late_and_whole_is_told_of() -> TestResult {
    let period = Duration::from_millis(100);
    let script = Script::new()
        .expect_request()
        .pause(6 * period)
        .send(format!("{HEAD}hello"));
    let seen = fetch_from(script, period)?;
    assert_eq!(body(&seen.response?), "hello");
    let told = seen.told.len();
    assert!(told >= 2, "told {} in 6 periods", times(told));
    let most = seen.elapsed.as_millis() / period.as_millis();
    assert!(
        told as u128 <= most,
        "told {}, and {most} periods were over",
        times(told)
    );
    let increasing = seen.told.windows(2).all(|pair| pair[0] <= pair[1]);
    assert!(
        increasing && seen.told[0] >= period,
        "told at {:?}",
        seen.told
    );
    let times = times(told);
    eprintln!("6 periods of silence, then all at once: told {times}");
    Ok(())
}

#[test]
fn a_head_in_pieces_is_whole_in_the_end() -> TestResult {
    let pause = Duration::from_millis(300);
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-")
        .pause(pause)
        .send("Length: 5\r\n\r")
        .pause(pause)
        .send("\nhello");
    let seen = fetch_from(script, Duration::from_millis(30))?;
    let response = nothing_lost(seen.response, seen.told.len());
    assert_eq!(body(&response), "hello");
    eprintln!(
        "a head in three pieces: told {}, nothing lost",
        times(seen.told.len())
    );
    Ok(())
}

#[test]
fn a_body_that_drips_is_whole_and_is_told_of() -> TestResult {
    // A byte every 20 ms, so the connection is never silent for a period.
    let script = Script::new()
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 35\r\n\r\n")
        .drip(35, Duration::from_millis(20));
    let seen = fetch_from(script, Duration::from_millis(150))?;
    let told = seen.told.len();
    let response = nothing_lost(seen.response, told);
    let sent: String = ('a'..='z').cycle().take(35).collect();
    assert_eq!(body(&response), sent, "the bytes, in their order");
    assert!(
        told >= 2,
        "told {} in 680 ms, and a period has 150 ms: does each byte put the clock back?",
        times(told)
    );
    eprintln!("35 bytes in 680 ms: told {}, nothing lost", times(told));
    Ok(())
}

#[test]
fn whoever_gives_up_closes_the_connection() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(Script::new().expect_request().stall())?;
    let url = format!("http://{address}/");
    let open_in_the_end = one_thread()?.block_on(async {
        let period = Duration::from_millis(50);
        let fetch = fetch_and_tell(&url, period, |_| {});
        let given_up = timeout(4 * period, fetch).await;
        assert!(given_up.is_err(), "the server is silent: {given_up:?}");
        let end = Instant::now() + Duration::from_secs(1);
        while origin.open_connections() > 0 && Instant::now() < end {
            sleep(Duration::from_millis(5)).await;
        }
        origin.open_connections()
    });
    assert_eq!(
        open_in_the_end, 0,
        "the fetch was dropped a second ago, and its connection is still open"
    );
    Ok(())
}

#[test]
fn read_exact_loses_what_read_buf_keeps() -> TestResult {
    let tick = Duration::from_millis(20);
    one_thread()?.block_on(async {
        for with_read_exact in [true, false] {
            let (mut client, mut server) = duplex(64);
            let mut buffer = BytesMut::new();
            // Three of five bytes come, then a tick, then the rest.
            server.write_all(b"hel").await?;
            let begun = async {
                if with_read_exact {
                    client.read_exact(&mut [0; 5]).await
                } else {
                    while client.read_buf(&mut buffer).await? > 0 {}
                    Ok(buffer.len())
                }
            };
            assert!(timeout(tick, begun).await.is_err(), "two are missing");
            server.write_all(b"lo").await?;
            drop(server);
            while client.read_buf(&mut buffer).await? > 0 {}

            let left = String::from_utf8_lossy(&buffer);
            let (name, expected) = match with_read_exact {
                true => ("read_exact", "lo"),
                false => ("read_buf in a loop", "hello"),
            };
            eprintln!("{name}, dropped at a tick: of \"hello\" there is {left:?} left");
            assert_eq!(left, expected);
        }
        Ok(())
    })
}

/// What came of a fetch.
struct Seen {
    response: Result<Response, FetchError>,
    /// The times with which it has been told of.
    told: Vec<Duration>,
    elapsed: Duration,
}

/// Fetches from an origin server whose connections follow `script`.
fn fetch_from(script: Script, period: Duration) -> io::Result<Seen> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(script)?;
    let told = RefCell::new(Vec::new());
    let tell = |time| told.borrow_mut().push(time);
    let start = Instant::now();
    let url = format!("http://{address}/");
    let response = one_thread()?.block_on(fetch_and_tell(&url, period, tell));
    let elapsed = start.elapsed();
    assert_eq!(origin.accepted(), 1, "one fetch, one connection");
    Ok(Seen {
        response,
        told: told.into_inner(),
        elapsed,
    })
}

fn nothing_lost(response: Result<Response, FetchError>, told: usize) -> Response {
    match response {
        Ok(response) => response,
        Err(error) => {
            let times = times(told);
            panic!("told {times}, and bytes that had come before are lost: {error}")
        }
    }
}

fn times(number: usize) -> String {
    match number {
        1 => "once".to_owned(),
        _ => format!("{number} times"),
    }
}

fn body(response: &Response) -> String {
    String::from_utf8_lossy(response.body()).into_owned()
}

/// A runtime that polls everything on the thread that calls it.
fn one_thread() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
