//! What a waiting fetch holds on the heap: its task, and no empty buffer.
//!
//! `cargo test -p stage5-async-await --test heap_per_fetch -- --nocapture`
#![allow(clippy::unwrap_used, reason = "tests")]

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use counting_alloc::{CountingAlloc, live_bytes};
use fetch_core::{Options, Request};
use stage5_async_await::fetch::fetch;
use tokio::time::sleep;

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

const FETCHES: usize = 300;

#[test]
fn a_waiting_fetch_is_small() {
    // Accepts, answers nothing, and counts. It allocates only beforehand.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    let mut streams = Vec::with_capacity(FETCHES);
    // It ends with the process, which keeps its connections open until then.
    thread::spawn(move || {
        while let Ok(stream) = listener.accept() {
            streams.push(stream);
            count.fetch_add(1, Ordering::Relaxed);
        }
    });

    let shared = Arc::new((Request::get(&url).unwrap(), Options::default()));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let each = runtime.block_on(async {
        let before = live_bytes();
        for id in 0..FETCHES {
            let shared = Arc::clone(&shared);
            // It is dropped with the runtime.
            tokio::spawn(async move { fetch(id, &shared.0, &shared.1).await });
        }
        let start = Instant::now();
        while accepted.load(Ordering::Relaxed) < FETCHES {
            assert!(start.elapsed() < Duration::from_secs(20), "not all came");
            sleep(Duration::from_millis(20)).await;
        }
        // Until all have sent their request, and wait.
        sleep(Duration::from_millis(200)).await;
        (live_bytes() - before) / FETCHES
    });
    println!("{each} bytes held while waiting");
    assert!(each < 4096, "{each} bytes");
}
