//! Many clients at once, and some that would rather be alone.

mod client;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use client::{connect, get, read_all, request, soon, split, start};
use origin::{Config, Origin, Script};

#[test]
fn a_thousand_at_once_are_all_in_flight_and_all_answered() {
    let origin = start();
    let sent = request("GET", "/delay/1000/16");
    let connections = (0..1000).map(|_| {
        let mut stream = connect(origin.address());
        stream.write_all(sent.as_bytes()).expect("write");
        stream
    });
    // All are sent well before the first is due: connecting takes tens of
    // milliseconds. On a very slow machine this is what fails.
    let begin = Instant::now();
    let mut connections: Vec<TcpStream> = connections.collect();
    assert!(
        begin.elapsed() < Duration::from_millis(1000),
        "too slow to tell"
    );
    for stream in &mut connections {
        let (got, result) = read_all(stream);
        result.expect("a graceful close");
        assert_eq!(split(&got).1, b"abcdefghijklmnop");
    }
    drop(connections);
    assert_eq!(origin.peak_in_flight(), 1000);
    soon("all are gone", || origin.open_connections() == 0);
    let journal = origin.journal();
    assert!(
        journal
            .iter()
            .enumerate()
            .all(|(at, seen)| seen.id == at as u64)
    );
    assert_eq!(journal.len(), 1000);
}

#[test]
fn one_after_the_other_is_never_two_in_flight() {
    let origin = start();
    let stall = Script::new().expect_request().stall();
    let address = origin.listen(stall).expect("listen");
    for round in 0..500 {
        if round % 2 == 0 {
            get(&origin, "/bytes/10");
        } else {
            // Cancelled: the close is in no answer, only in the events' order.
            let mut stream = connect(address);
            stream
                .write_all(request("GET", "/").as_bytes())
                .expect("write");
        }
    }
    assert_eq!(origin.peak_in_flight(), 1);
}

#[test]
fn what_exceeds_max_connections_waits_its_turn() {
    let config = Config {
        max_connections: 3,
        ..Config::default()
    };
    let origin = Origin::start(config).expect("start");
    let clients: Vec<_> = (0..20)
        .map(|_| {
            let mut stream = connect(origin.address());
            thread::spawn(move || {
                let sent = request("GET", "/delay/5/3");
                stream.write_all(sent.as_bytes()).expect("write");
                read_all(&mut stream).0.ends_with(b"\r\n\r\nabc")
            })
        })
        .collect();
    for client in clients {
        assert!(client.join().expect("no panic"));
    }
    assert_eq!(origin.peak_in_flight(), 3);
}

#[test]
fn a_slow_head_holds_nobody_up() {
    let origin = start();
    let mut slow: Vec<_> = (0..50).map(|_| connect(origin.address())).collect();
    for byte in request("GET", "/bytes/3").bytes() {
        for stream in &mut slow {
            stream.write_all(&[byte]).expect("write");
        }
        let begin = Instant::now();
        get(&origin, "/bytes/1");
        assert!(begin.elapsed() < Duration::from_millis(2000));
    }
    for stream in &mut slow {
        assert!(read_all(stream).0.ends_with(b"\r\n\r\nabc"));
    }
}

#[test]
fn fast_peers_starve_nobody() {
    let origin = start();
    let stall = Script::new().expect_head().stall();
    let sink = origin.listen(stall).expect("listen");
    let source = origin.address();
    let done = Arc::new(AtomicBool::new(false));
    let peers: Vec<_> = (0..4)
        .map(|at| {
            let done = Arc::clone(&done);
            thread::spawn(move || {
                let mut stream = connect(if at % 2 == 0 { sink } else { source });
                let target = request("GET", "/bytes/1073741824");
                stream.write_all(target.as_bytes()).expect("write");
                let mut piece = vec![b'x'; 256 << 10];
                while !done.load(Ordering::Relaxed) {
                    match at % 2 {
                        0 => stream.write_all(&piece).expect("write"),
                        _ => assert_ne!(stream.read(&mut piece).expect("read"), 0),
                    }
                }
            })
        })
        .collect();
    thread::sleep(Duration::from_millis(50));
    for _ in 0..20 {
        let begin = Instant::now();
        get(&origin, "/bytes/100");
        assert!(
            begin.elapsed() < Duration::from_millis(2000),
            "{:?}",
            begin.elapsed()
        );
    }
    done.store(true, Ordering::Relaxed);
    for peer in peers {
        peer.join().expect("a peer that was served all along");
    }
}

#[test]
fn stopping_closes_listeners_and_connections_and_joins() {
    let origin = start();
    let stall = Script::new().expect_request().stall();
    let own = origin.listen(stall).expect("listen");
    let main = origin.address();
    let mut waiting: Vec<_> = [own, main, main].into_iter().map(connect).collect();
    soon("all are accepted", || origin.open_connections() == 3);
    let begin = Instant::now();
    origin.stop();
    assert!(begin.elapsed() < Duration::from_secs(1));
    for stream in &mut waiting {
        // A reset or an end, but no hang.
        assert!(read_all(stream).0.is_empty());
    }
    for address in [own, main] {
        TcpStream::connect(address).expect_err("nobody listens any more");
    }
}
