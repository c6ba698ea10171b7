//! Third step: many futures, a queue of those that can go on, and a reactor.
//!
//! `cargo run -p stage4-hand-rolled-future --example queue_and_reactor`
//!
//! Now waking says *whose* turn it is: it puts a task into a queue. The loop
//! polls who is in the queue, and asks the reactor when it is empty. The
//! reactor and its sockets are the crate's; that they work here shows how little
//! they know of who polls. What the crate's executor has and this one has not:
//! wakes from other threads end its sleep, tasks can be started from inside and
//! cancelled, and at the end it cuts the circle of a task in the queue that it
//! holds.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::error::Error;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};

use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::tcp::TcpStream;

type Queue = Arc<Mutex<VecDeque<Arc<Task>>>>;

/// Says whose turn it is.
struct Task {
    index: usize,
    queued: AtomicBool,
    queue: Queue,
}

impl Wake for Task {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::AcqRel) {
            let queue = Arc::clone(&self.queue);
            queue
                .lock()
                .expect("nobody panics under it")
                .push_back(self);
        }
    }
}

/// Runs all futures on this thread until the last is done.
fn run(
    mut futures: Vec<Option<Pin<Box<dyn Future<Output = ()>>>>>,
    reactor: &Reactor,
) -> io::Result<()> {
    let queue = Queue::default();
    for index in 0..futures.len() {
        let (queued, queue) = (AtomicBool::new(false), Arc::clone(&queue));
        Arc::new(Task {
            index,
            queued,
            queue,
        })
        .wake();
    }
    while futures.iter().any(Option::is_some) {
        let next = queue.lock().expect("nobody panics under it").pop_front();
        let Some(task) = next else {
            // Nobody can go on. This is where the thread sleeps.
            reactor.park(true)?;
            continue;
        };
        // Before the poll: a wake during it must find the flag down.
        task.queued.swap(false, Ordering::AcqRel);
        let place = &mut futures[task.index];
        let waker = Waker::from(task);
        let mut cx = Context::from_waker(&waker);
        // Woken once more after it was done: the place is empty.
        if let Some(future) = place
            && future.as_mut().poll(&mut cx).is_ready()
        {
            *place = None;
        }
    }
    Ok(())
}

async fn get(
    reactor: Rc<Reactor>,
    id: usize,
    address: SocketAddr,
    path: String,
) -> io::Result<Vec<u8>> {
    let stream = TcpStream::connect(&reactor, id, address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut unsent = request.as_bytes();
    while !unsent.is_empty() {
        let sent = stream.write(unsent).await?;
        unsent = &unsent[sent..];
    }
    let mut response = Vec::new();
    let mut chunk = [0; 1024];
    loop {
        match stream.read(&mut chunk).await? {
            0 => return Ok(response),
            length => response.extend_from_slice(&chunk[..length]),
        }
    }
}

/// The responses to `count` requests that wait at the same time, in the order in
/// which they came.
pub(crate) fn crowd(address: SocketAddr, count: usize) -> io::Result<Vec<io::Result<Vec<u8>>>> {
    let reactor = Reactor::new()?;
    let responses = Rc::new(RefCell::new(Vec::new()));
    let mut futures = Vec::new();
    for id in 0..count {
        let response = get(Rc::clone(&reactor), id, address, "/delay/100/16".to_owned());
        let responses = Rc::clone(&responses);
        let future: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
            let response = response.await;
            // In one line, the borrow would be held across the wait.
            responses.borrow_mut().push(response);
        });
        futures.push(Some(future));
    }
    run(futures, &reactor)?;
    Ok(responses.take())
}

fn main() -> Result<(), Box<dyn Error>> {
    let origin = origin::Origin::start(origin::Config::default())?;
    let start = std::time::Instant::now();
    let responses = crowd(origin.address(), 100)?;
    println!(
        "{} responses, each after 100 ms, in {:?}",
        responses.len(),
        start.elapsed()
    );
    Ok(())
}
