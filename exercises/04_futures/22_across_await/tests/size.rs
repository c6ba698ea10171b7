//! The room that a future takes is what lives across its waits.

use std::future::ready;
use std::mem::size_of_val;
use std::rc::Rc;

use ex22_across_await::shapes::{self, Kibibyte};
use ex22_across_await::{Draft, fetch};
use fetch_core::Request;
use origin::{Config, Origin};
use stage4_hand_rolled_future::runtime::Runtime;

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[test]
fn a_fetch_that_waits_has_no_draft() -> TestResult {
    let runtime = Runtime::new()?;
    let request = Request::get("http://127.0.0.1:80/")?;
    let bytes = size_of_val(&fetch(Rc::clone(runtime.reactor()), request));
    eprintln!("the future: {bytes} bytes; the draft: {}", Draft::BYTES);
    assert!(
        bytes < 4096,
        "the future has {bytes} bytes: it has room for the draft, in which nothing stands that it \
         needs while it waits; 10,000 fetches keep {} MB of that",
        Draft::BYTES * 10_000 / 1_000_000
    );
    Ok(())
}

#[test]
fn the_request_is_whole_and_so_is_the_response() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Runtime::new()?;
    // One that fits into the draft, and one that does not.
    for body_bytes in [100, 3 * Draft::BYTES] {
        let body = vec![b'x'; body_bytes];
        let no_fields: [(&str, &str); 0] = [];
        let request = Request::new("POST", &origin.url("/echo"), no_fields, body)?;
        let sent = request.encode();
        let response = runtime.block_on(fetch(Rc::clone(runtime.reactor()), request))??;
        let journal = origin.journal();
        let seen = journal.last().ok_or("no connection")?;
        let length = bytes::Buf::remaining(&sent) as u64;
        assert_eq!(seen.request_bytes, length, "all of it was sent, and once");
        // The origin echoes the head.
        let head = sent.first_ref();
        assert_eq!(response.body().as_ref(), head.as_ref());
    }
    Ok(())
}

#[test]
fn five_shapes() {
    for (shape, bytes) in [
        (
            "dropped, and never borrowed",
            size_of_val(&shapes::never_borrowed_and_dropped(ready(()))),
        ),
        (
            "borrowed before the wait, dropped",
            size_of_val(&shapes::used_before_the_wait_and_dropped(ready(()))),
        ),
        (
            "borrowed before the wait, in a block",
            size_of_val(&shapes::used_before_the_wait_in_a_block(ready(()))),
        ),
        (
            "borrowed after the wait",
            size_of_val(&shapes::used_after_the_wait(ready(()))),
        ),
        (
            "an argument",
            size_of_val(&shapes::an_argument(Kibibyte::new(), ready(()))),
        ),
    ] {
        eprintln!("{bytes:5} bytes: a kibibyte, {shape}");
        assert!(bytes > 0, "there is something to wait for");
    }
}
