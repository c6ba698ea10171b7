//! What a waiting fetch holds on the heap.
//!
//! `cargo test -p stage4-hand-rolled-future --test heap_per_fetch -- --nocapture`
#![allow(clippy::unwrap_used, reason = "tests")]

use std::future::Future;
use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use counting_alloc::{CountingAlloc, allocations, live_bytes};
use fetch_core::{FetchError, Options, Request, Response};
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;
use stage4_hand_rolled_future::{by_compiler, by_hand};

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

const FETCHES: usize = 500;

/// Accepts, answers nothing, and counts. It allocates only beforehand.
fn silent_server() -> (SocketAddr, Arc<AtomicUsize>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    let mut streams = Vec::with_capacity(FETCHES);
    thread::spawn(move || {
        while streams.len() < FETCHES {
            streams.push(listener.accept().unwrap());
            count.fetch_add(1, Ordering::Relaxed);
        }
        // Keeps them open.
        thread::sleep(Duration::from_secs(60));
    });
    (address, accepted)
}

/// Bytes and blocks per fetch, once all wait for their response.
fn measure<F>(fetch: fn(usize, Request, Rc<Options>, Rc<Reactor>) -> F) -> (f64, f64)
where
    F: Future<Output = Result<Response, FetchError>> + 'static,
{
    let (address, accepted) = silent_server();
    let request = Request::get(&format!("http://{address}/")).unwrap();
    // With or without a fetch, a caller holds the requests.
    let requests: Vec<_> = (0..FETCHES).map(|_| request.clone()).collect();
    let runtime = Runtime::new().unwrap();
    let options = Rc::new(Options::default());
    let mut tasks = Vec::with_capacity(FETCHES);

    let (bytes, blocks) = (live_bytes(), allocations());
    for (id, request) in requests.into_iter().enumerate() {
        let (options, reactor) = (Rc::clone(&options), Rc::clone(runtime.reactor()));
        tasks.push(runtime.spawn(fetch(id, request, options, reactor)));
    }
    let start = Instant::now();
    while accepted.load(Ordering::Relaxed) < FETCHES {
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "not all were accepted"
        );
        let moment = Instant::now() + Duration::from_millis(100);
        let pause = Sleep::until(runtime.reactor(), 0, moment);
        runtime.block_on(pause).unwrap();
    }
    let pause = Sleep::until(
        runtime.reactor(),
        0,
        Instant::now() + Duration::from_millis(200),
    );
    runtime.block_on(pause).unwrap();
    let held = live_bytes() as f64 - bytes as f64;
    let asked = allocations() - blocks;
    assert_eq!(runtime.unfinished(), FETCHES);
    (held / FETCHES as f64, asked as f64 / FETCHES as f64)
}

#[test]
fn a_waiting_fetch_is_small() {
    for (name, limit, (bytes, allocations)) in [
        ("by hand", 1152.0, measure(by_hand::fetch)),
        ("by the compiler", 1280.0, measure(by_compiler::fetch)),
    ] {
        println!(
            "{name}: {bytes:.0} bytes held while waiting, {allocations:.1} allocations to get there"
        );
        assert!(bytes < limit, "{name}: {bytes}");
    }
}
