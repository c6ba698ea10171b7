//! What is put into a box is not in the future, and is kept all the same.
//! Alone in its program: all threads count together.

use std::future::{Future, poll_fn};
use std::net::TcpListener;
use std::pin::pin;
use std::rc::Rc;
use std::time::{Duration, Instant};

use counting_alloc::{CountingAlloc, live_bytes};
use ex22_across_await::fetch;
use fetch_core::Request;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

#[test]
fn the_draft_is_not_on_the_heap_either() -> Result<(), Box<dyn std::error::Error>> {
    // The system accepts the connection, and nobody ever answers.
    let silent = TcpListener::bind("127.0.0.1:0")?;
    let runtime = Runtime::new()?;
    let request = Request::get(&format!("http://{}/", silent.local_addr()?))?;
    let mut fetch = pin!(fetch(Rc::clone(runtime.reactor()), request));
    let before = live_bytes();
    let mut sleep = Sleep::until(
        runtime.reactor(),
        0,
        Instant::now() + Duration::from_millis(100),
    );
    runtime.block_on(poll_fn(|cx| {
        let polled = fetch.as_mut().poll(cx);
        assert!(polled.is_pending(), "nobody has answered");
        pin!(&mut sleep).poll(cx)
    }))?;
    let bytes = live_bytes().saturating_sub(before);
    eprintln!("on the heap while it waits: {bytes} bytes");
    assert!(
        bytes < 8 * 1024,
        "the fetch waits and keeps {bytes} bytes on the heap"
    );
    Ok(())
}
