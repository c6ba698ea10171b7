//! Each step of a script, and what the journal says of it.

mod client;

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use client::{PATIENCE, connect, exchange, last_ended, read_all, request, soon, split, start};
use origin::{End, MAX_SCRIPT_BYTES, MAX_SCRIPT_STEPS, Script};
use socket2::SockRef;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const UPLOAD_HEAD: &str = "POST /case/x HTTP/1.1\r\nContent-Length: 8388608\r\n\r\n";

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn get_request() -> String {
    request("GET", "/x")
}

#[test]
fn cases_are_found_by_name_for_any_method_and_can_be_replaced() {
    let origin = start();
    origin
        .script("a/b", Script::new().send("one"))
        .expect("small");
    for method in ["GET", "POST", "HEAD", "QUERY"] {
        let (got, _) = exchange(origin.address(), request(method, "/case/a/b?q").as_bytes());
        assert_eq!(got, b"one");
    }
    origin
        .script("a/b", Script::new().send("two"))
        .expect("small");
    let (got, _) = exchange(origin.address(), request("GET", "/case/a/b").as_bytes());
    assert_eq!(got, b"two");
}

#[test]
fn a_script_too_large_is_refused() {
    let origin = start();
    let piece = vec![0; MAX_SCRIPT_BYTES];
    let script = Script::new().send(piece.clone());
    origin
        .script("fits", script.clone())
        .expect("exactly the limit");
    let error = origin
        .script("x", script.send("!"))
        .expect_err("one byte more");
    assert_eq!((error.bytes, error.steps), (MAX_SCRIPT_BYTES + 1, 2));
    let too_long = (0..=MAX_SCRIPT_STEPS).fold(Script::new(), |script, _| script.pause(ms(1)));
    let error = origin.listen(too_long).expect_err("too many steps");
    assert_eq!(error.kind(), ErrorKind::InvalidInput);
}

#[test]
fn sends_are_writes_of_their_own_with_pauses_between() {
    let origin = start();
    let mut script = Script::new().expect_request();
    for byte in OK.bytes() {
        script = script.send(vec![byte]).pause(ms(2));
    }
    let address = origin.listen(script.close()).expect("listen");
    let mut stream = connect(address);
    stream.write_all(get_request().as_bytes()).expect("write");
    let (mut got, mut reads, begin) = (Vec::new(), 0, Instant::now());
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer).expect("read") {
            0 => break,
            n => got.extend_from_slice(&buffer[..n]),
        }
        reads += 1;
    }
    assert_eq!(got, OK.as_bytes());
    assert!(begin.elapsed() >= ms(2 * OK.len() as u64));
    // A busy machine may let a few merge before we read them.
    assert!(reads > OK.len() / 4, "{reads} reads");
}

#[test]
fn expect_request_waits_for_the_body_and_expect_head_does_not() {
    let origin = start();
    let whole = origin
        .listen(Script::new().expect_request().send(OK))
        .expect("listen");
    let head = origin
        .listen(Script::new().expect_head().send(OK).fin())
        .expect("listen");
    let bodies = [
        ("Content-Length: 5", "hel", "lo"),
        ("Transfer-Encoding: chunked", "5\r\nhel", "lo\r\n0\r\n\r\n"),
    ];
    for (field, first, rest) in bodies {
        let begin = format!("POST / HTTP/1.1\r\n{field}\r\n\r\n{first}");
        let mut stream = connect(head);
        stream.write_all(begin.as_bytes()).expect("write");
        assert_eq!(read_all(&mut stream).0, OK.as_bytes());

        let mut stream = connect(whole);
        stream.write_all(begin.as_bytes()).expect("write");
        stream.set_read_timeout(Some(ms(50))).expect("timeout");
        let error = stream.read(&mut [0; 9]).expect_err("no answer yet");
        assert!(matches!(
            error.kind(),
            ErrorKind::WouldBlock | ErrorKind::TimedOut
        ));
        stream.set_read_timeout(Some(PATIENCE)).expect("timeout");
        stream.write_all(rest.as_bytes()).expect("write");
        assert_eq!(read_all(&mut stream).0, OK.as_bytes());
        let seen = origin.journal().pop().expect("an entry");
        assert_eq!(seen.request, format!("{begin}{rest}"));
    }
}

#[test]
fn the_journal_tells_the_course_of_an_exchange() {
    let origin = start();
    let script = Script::new()
        .expect_request()
        .pause(ms(30))
        .send(OK)
        .pause(ms(30))
        .close();
    origin.script("x", script).expect("small");
    let mut stream = connect(origin.address());
    let sent = request("GET", "/case/x");
    stream.write_all(sent.as_bytes()).expect("write");
    assert_eq!(read_all(&mut stream).0, OK.as_bytes());
    let peer = stream.local_addr().expect("address");
    drop(stream);

    let seen = last_ended(&origin);
    assert_eq!((seen.id, seen.peer), (0, peer));
    assert_eq!(seen.target.as_deref(), Some("/case/x"));
    assert_eq!(seen.request, sent);
    assert_eq!(seen.request_bytes, sent.len() as u64);
    assert_eq!(seen.response_sent, OK.len() as u64);
    let whole = seen.request_whole_at.expect("whole");
    let done = seen.response_done_at.expect("done");
    let fin = seen.origin_fin_at.expect("fin");
    let left = seen.client_left_at.expect("left");
    let (ended, end) = seen.ended.expect("ended");
    assert!(seen.opened <= whole && done >= whole + ms(30) && fin >= done + ms(30));
    assert!(fin <= left && left <= ended);
    assert_eq!(end, End::OriginFin);
    assert_eq!((origin.open_connections(), origin.peak_in_flight()), (0, 1));
}

#[test]
fn close_does_not_destroy_a_response_that_is_read_slowly() {
    let origin = start();
    const SIZE: usize = 4 << 20;
    let script = Script::new().expect_request().send(vec![7; SIZE]).close();
    let address = origin.listen(script).expect("listen");
    let mut stream = connect(address);
    // Unread pipelined bytes are what would turn a plain close into a reset.
    let twice = get_request().repeat(2);
    stream.write_all(twice.as_bytes()).expect("write");
    std::thread::sleep(ms(100));
    let mut got = 0;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match stream.read(&mut buffer).expect("no reset") {
            0 => break,
            n => got += n,
        }
        let _ = stream.write_all(b"more");
        std::thread::sleep(ms(1));
    }
    assert_eq!(got, SIZE);
}

#[test]
fn close_with_an_upload_unread_resets() {
    let origin = start();
    let script = Script::new().expect_head().send(OK).pause(ms(50)).close();
    let address = origin.listen(script).expect("listen");
    let mut stream = connect(address);
    stream.write_all(UPLOAD_HEAD.as_bytes()).expect("write");
    stream.write_all(&vec![b'u'; 100_000]).expect("write");
    let (_, result) = read_all(&mut stream);
    assert_eq!(
        result.expect_err("a reset").kind(),
        ErrorKind::ConnectionReset
    );
    assert_eq!(
        last_ended(&origin).ended.expect("ended").1,
        End::OriginReset
    );
}

#[test]
fn close_on_accept_reads_nothing() {
    let origin = start();
    let address = origin.listen(Script::new().close()).expect("listen");
    let mut stream = connect(address);
    assert_eq!(read_all(&mut stream).0, b"");
    let seen = last_ended(&origin);
    assert_eq!(
        (seen.request_bytes, seen.ended.expect("ended").1),
        (0, End::OriginFin)
    );
}

#[test]
fn fin_answers_in_the_middle_of_an_upload_and_reads_the_rest() {
    let origin = start();
    let address = origin
        .listen(Script::new().expect_head().send(OK).fin())
        .expect("listen");
    let mut stream = connect(address);
    stream.write_all(UPLOAD_HEAD.as_bytes()).expect("write");
    assert_eq!(read_all(&mut stream).0, OK.as_bytes());
    stream
        .write_all(&vec![b'u'; 8 << 20])
        .expect("it is read to the end");
    drop(stream);
    let seen = last_ended(&origin);
    assert_eq!(seen.request_bytes, UPLOAD_HEAD.len() as u64 + (8 << 20));
    assert!(seen.request_whole_at.is_some());
    assert_eq!(seen.ended.expect("ended").1, End::OriginFin);
}

#[test]
fn reset_is_a_reset() {
    let origin = start();
    let script = Script::new()
        .expect_request()
        .send(OK)
        .pause(ms(50))
        .reset();
    let address = origin.listen(script).expect("listen");
    let (got, result) = exchange(address, get_request().as_bytes());
    assert_eq!(
        result.expect_err("a reset").kind(),
        ErrorKind::ConnectionReset
    );
    assert_eq!(got, OK.as_bytes());
    assert_eq!(
        last_ended(&origin).ended.expect("ended").1,
        End::OriginReset
    );
}

#[test]
fn a_client_leaving_is_seen_wherever_the_origin_reads() {
    let origin = start();
    let start = || Script::new().expect_request();
    let scripts = [
        Script::new().expect_head(),
        start(),
        start().pause(ms(60_000)),
        start().send(OK).pause(ms(60_000)),
        start().drip(1000, ms(60_000)),
        start().fill(1 << 30),
        start().stall(),
        Script::new().stall(),
    ];
    for (at, script) in scripts.into_iter().enumerate() {
        let address = origin.listen(script).expect("listen");
        for reset in [false, true] {
            let mut stream = connect(address);
            let sent = if at < 2 {
                "GET / HT".to_owned()
            } else {
                get_request()
            };
            stream.write_all(sent.as_bytes()).expect("write");
            std::thread::sleep(ms(20));
            assert_eq!(origin.open_connections(), 1, "script {at}");
            if reset {
                SockRef::from(&stream)
                    .set_linger(Some(Duration::ZERO))
                    .expect("linger");
            }
            let left = Instant::now();
            drop(stream);
            let (ended, end) = last_ended(&origin).ended.expect("ended");
            assert!(ended.duration_since(left) < ms(1000), "script {at}");
            // Closing with a response unread is a reset, too.
            let unread = (3..=5).contains(&at);
            let expected = if reset || unread {
                End::ClientReset
            } else {
                End::ClientFin
            };
            assert_eq!(end, expected, "script {at}");
        }
    }
}

#[test]
fn a_reset_is_seen_also_where_bytes_stay_unread() {
    let origin = start();
    let scripts = [
        Script::new().pause(ms(60_000)),
        Script::new().expect_head().send(OK).pause(ms(60_000)),
    ];
    for script in scripts {
        let address = origin.listen(script).expect("listen");
        let mut stream = connect(address);
        let sent = UPLOAD_HEAD.to_owned() + "some";
        stream.write_all(sent.as_bytes()).expect("write");
        std::thread::sleep(ms(20));
        SockRef::from(&stream)
            .set_linger(Some(Duration::ZERO))
            .expect("linger");
        drop(stream);
        let end = last_ended(&origin).ended.expect("ended").1;
        assert_eq!(end, End::ClientReset);
    }
}

#[test]
fn half_closing_counts_as_leaving() {
    let origin = start();
    let address = origin
        .listen(Script::new().expect_request().stall())
        .expect("listen");
    let mut stream = connect(address);
    stream.write_all(get_request().as_bytes()).expect("write");
    stream.shutdown(Shutdown::Write).expect("shutdown");
    assert_eq!(last_ended(&origin).ended.expect("ended").1, End::ClientFin);
}

#[test]
fn stall_unread_reads_nothing_but_sees_a_reset() {
    let origin = start();
    let script = Script::new().expect_head().send(OK).stall_unread();
    let address = origin.listen(script).expect("listen");
    let mut stream = connect(address);
    stream.write_all(UPLOAD_HEAD.as_bytes()).expect("write");
    let mut answer = [0; OK.len()];
    stream.read_exact(&mut answer).expect("the answer");
    stream.set_write_timeout(Some(ms(200))).expect("timeout");
    let written = stream.write_all(&vec![b'u'; 64 << 20]);
    written.expect_err("the window is full");
    let seen = origin.journal().pop().expect("an entry");
    assert!(
        seen.request_bytes < 10_000,
        "{} bytes read",
        seen.request_bytes
    );
    assert_eq!((origin.open_connections(), seen.ended), (1, None));
    SockRef::from(&stream)
        .set_linger(Some(Duration::ZERO))
        .expect("linger");
    drop(stream);
    assert_eq!(
        last_ended(&origin).ended.expect("ended").1,
        End::ClientReset
    );
}

#[test]
fn an_echo_on_one_port_of_two_addresses() {
    let origin = start();
    let any = |ip: &str| format!("{ip}:0").parse().expect("an address");
    let Ok(address) = origin.listen_on(&[any("127.0.0.1"), any("[::1]")], Script::echo()) else {
        // No IPv6 here.
        return;
    };
    for ip in ["127.0.0.1", "[::1]"] {
        let address = format!("{ip}:{}", address.port())
            .parse()
            .expect("an address");
        let sent = request("DELETE", "//any/../thing?x");
        let (got, result) = exchange(address, sent.as_bytes());
        result.expect("a graceful close");
        assert_eq!(split(&got).1, sent.as_bytes());
    }
    assert!(origin.listen_on(&[], Script::echo()).is_err());
    assert!(origin.listen_on(&[address], Script::echo()).is_err());
}

#[test]
fn clearing_the_journal_forgets_open_connections_but_counts_them() {
    let origin = start();
    let address = origin
        .listen(Script::new().expect_request().stall())
        .expect("listen");
    let stream = connect(address);
    soon("it is in flight", || origin.peak_in_flight() == 1);
    origin.clear_journal();
    assert!(origin.journal().is_empty());
    assert_eq!((origin.peak_in_flight(), origin.open_connections()), (1, 1));
    drop(stream);
    soon("it is gone", || origin.open_connections() == 0);
    origin.clear_journal();
    assert_eq!((origin.peak_in_flight(), origin.accepted()), (0, 1));
}
