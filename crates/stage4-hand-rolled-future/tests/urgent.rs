//! Urgent data is not part of a response, and nobody may be kept busy by it.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::future::poll_fn;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::pin::pin;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use fetch_core::{Options, Request};
use socket2::SockRef;
use stage4_hand_rolled_future::by_hand;
use stage4_hand_rolled_future::runtime::Runtime;

#[test]
fn an_urgent_byte_during_an_upload_is_no_reason_to_poll_again_and_again() {
    const BODY: usize = 8 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 100]).unwrap();
        SockRef::from(&stream).send_out_of_band(b"!").unwrap();
        // The upload stalls meanwhile.
        thread::sleep(Duration::from_millis(300));
        let mut upload = stream.try_clone().unwrap().take(BODY as u64);
        std::io::copy(&mut upload, &mut std::io::sink()).unwrap();
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        stream.write_all(answer).unwrap();
        // Reads the rest of the upload, so that closing resets nothing.
        let _ = stream.read_to_end(&mut Vec::new());
    });

    let url = format!("http://127.0.0.1:{port}/");
    let no_fields: [(&str, &str); 0] = [];
    let request = Request::new("POST", &url, no_fields, vec![0; BODY]).unwrap();
    let runtime = Runtime::new().unwrap();
    let reactor = Rc::clone(runtime.reactor());
    let polls = Cell::new(0);
    let result = runtime.block_on(async {
        let mut fetch = pin!(by_hand::fetch(
            0,
            request,
            Rc::new(Options::default()),
            reactor
        ));
        poll_fn(|cx| {
            polls.set(polls.get() + 1);
            fetch.as_mut().poll(cx)
        })
        .await
    });
    assert_eq!(result.unwrap().unwrap().body().as_ref(), b"ok");
    // A few for each time that there is room for more of the upload.
    assert!(polls.get() < 5_000, "{} polls", polls.get());
    server.join().unwrap();
}
