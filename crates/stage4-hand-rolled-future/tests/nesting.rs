//! Parents poll children: however deep futures are nested, there is one task,
//! and no allocation for the depth (claim A7.2).
#![allow(clippy::unwrap_used, reason = "tests")]

use std::future::Future;
use std::io::Write;
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

use counting_alloc::{CountingAlloc, allocations};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::tcp::TcpStream;

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

/// A parent with one child.
async fn parent<F: Future>(child: F) -> F::Output {
    child.await
}

macro_rules! nested {
    ($future:expr;) => { $future };
    ($future:expr; $level:tt $($levels:tt)*) => { parent(nested!($future; $($levels)*)) };
}

/// Allocations, and tasks beside the root, while a byte is awaited `$depth` deep.
macro_rules! measure {
    ($runtime:expr, $address:expr; $($levels:tt)*) => {{
        let (runtime, address) = (&$runtime, $address);
        let leaf = async {
            let stream = TcpStream::connect(runtime.reactor(), 0, address).await.unwrap();
            let mut byte = [0];
            assert_eq!(stream.read(&mut byte).await.unwrap(), 1);
            runtime.unfinished()
        };
        let before = allocations();
        let tasks = runtime.block_on(nested!(leaf; $($levels)*)).unwrap();
        (allocations() - before, tasks)
    }};
}

#[test]
fn depth_costs_no_task_and_no_allocation() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    // Allocates nothing itself: the counter is the whole process's.
    let peer = thread::spawn(move || {
        for _ in 0..4 {
            let (mut stream, _) = listener.accept().unwrap();
            thread::sleep(Duration::from_millis(30));
            stream.write_all(b"x").unwrap();
        }
    });
    let runtime = Runtime::new().unwrap();
    // The first time, queue and slab get their room.
    measure!(runtime, address; 1);
    let one = measure!(runtime, address; 1);
    let two = measure!(runtime, address; 1 2);
    let eight = measure!(runtime, address; 1 2 3 4 5 6 7 8);
    peer.join().unwrap();
    println!("allocations and further tasks: 1 deep {one:?}, 2 deep {two:?}, 8 deep {eight:?}");
    assert_eq!(one, two);
    assert_eq!(one, eight);
    assert_eq!(one.1, 0);
}
