//! A deadline holds for the whole, however the parts come.

use std::io;
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use ex03_slow_drip::{Connection, fetch};
use fetch_core::{ErrorKind, FetchError};
use origin::{Config, Origin, Script};

const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n";

/// The body without its last byte, which is always worth waiting for.
const ALL_BUT_ONE: &str = "---------------------------------------";

#[test]
fn a_drip_does_not_extend_the_deadline() -> io::Result<()> {
    // 40 bytes, one every 50 ms: two seconds.
    let drip = Script::new()
        .expect_request()
        .send(HEAD)
        .drip(40, milliseconds(50));
    let (outcome, took) = fetch_within(milliseconds(400), drip)?;
    assert!(
        outcome.is_err(),
        "each byte was given the whole deadline anew, so 400 ms became {took} ms"
    );
    assert_is_timeout(outcome);
    eprintln!("a byte every 50 ms, a deadline of 400 ms: an error after {took} ms");
    let days = 1e6 * 0.4 / 86_400.0;
    eprintln!("a million bytes, each 400 ms after the last: {days:.1} days, if that were allowed");
    Ok(())
}

/// Here a look at the clock between two reads is not enough: what is to end in
/// time is a read that nothing comes for.
#[test]
fn the_last_read_gets_only_what_is_left() -> io::Result<()> {
    let late = Script::new()
        .expect_request()
        .pause(milliseconds(600))
        .send(format!("{HEAD}{ALL_BUT_ONE}"))
        .pause(milliseconds(700))
        .send("-");
    // When the second pause begins, 200 ms are left.
    let (outcome, took) = fetch_within(milliseconds(800), late)?;
    assert!(
        outcome.is_err(),
        "the second read was given the whole deadline anew, so 800 ms became {took} ms"
    );
    assert_is_timeout(outcome);
    assert!(
        took < 1200,
        "the deadline was noticed only after {took} ms, when the read returned by itself"
    );
    eprintln!("200 ms are left, and the next byte comes in 700: an error after {took} ms in all");
    Ok(())
}

#[test]
fn a_read_after_the_deadline_is_late() -> io::Result<()> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(Script::new().stall())?;
    let mut connection = Connection::new(TcpStream::connect(address)?, milliseconds(600));
    thread::sleep(milliseconds(650));
    let started = Instant::now();
    let read = connection.read(&mut BytesMut::new());
    let took = started.elapsed().as_millis();
    // Nothing is left. As a timeout that is zero, which the system refuses.
    assert_is_timeout(read);
    assert!(
        took < 400,
        "the time was over before the read began, and it took {took} ms more"
    );
    Ok(())
}

#[test]
fn a_server_that_says_nothing_is_left_at_the_deadline() -> io::Result<()> {
    let (outcome, took) = fetch_within(milliseconds(300), Script::new().stall())?;
    assert_is_timeout(outcome);
    assert!(took >= 300, "it was left after {took} ms, before its time");
    eprintln!("silence, a deadline of 300 ms: an error after {took} ms");
    Ok(())
}

/// The opposite fault: to lose patience because a server is slow, though it
/// is in time.
#[test]
fn a_drip_that_is_in_time_is_waited_for() -> io::Result<()> {
    let drip = Script::new()
        .expect_request()
        .send(HEAD)
        .drip(40, milliseconds(15));
    let (outcome, _) = fetch_within(Duration::from_secs(4), drip)?;
    assert_eq!(outcome, Ok(40), "600 ms of a deadline of 4 s");
    Ok(())
}

fn assert_is_timeout(outcome: Result<usize, FetchError>) {
    let kind = outcome.as_ref().err().map(FetchError::kind);
    assert_eq!(
        kind,
        Some(ErrorKind::Timeout),
        "the time was over, which is no reason for {outcome:?}"
    );
}

/// Fetches what `script` answers: the length of the body or the error, and the
/// milliseconds that it took.
fn fetch_within(
    deadline: Duration,
    script: Script,
) -> io::Result<(Result<usize, FetchError>, u128)> {
    let origin = Origin::start(Config::default())?;
    let address = origin.listen(script)?;
    let started = Instant::now();
    let response = fetch(&format!("http://{address}/"), deadline);
    let outcome = response.map(|response| response.body().len());
    Ok((outcome, started.elapsed().as_millis()))
}

fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}
