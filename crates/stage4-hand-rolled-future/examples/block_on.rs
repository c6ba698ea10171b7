//! Second step: the smallest executor. It runs one future, and while that
//! waits, its thread sleeps.
//!
//! `cargo run -p stage4-hand-rolled-future --example block_on`
//!
//! `std::task::Wake` makes a `Waker` out of an `Arc`, without `unsafe`. What
//! waking means is ours to say; here it is to unpark a thread. Who waits for
//! what is no longer in the loop: the future hands its waker to whoever will
//! know, in this example a thread that makes a blocking call.

use std::error::Error;
use std::future::Future;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use stage4_hand_rolled_future::join::Join;

/// Wakes by unparking.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// The executor.
fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            // An unpark that came since the poll began is remembered, and this
            // returns at once. So does it for no reason now and then: then the
            // future is polled in vain, which is always allowed.
            Poll::Pending => thread::park(),
        }
    }
}

/// The future of what is computed on a thread of its own.
struct InThread<T>(Arc<Mutex<Slot<T>>>);

struct Slot<T> {
    output: Option<T>,
    waiting: Option<Waker>,
}

impl<T: Send + 'static> InThread<T> {
    fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let slot = Arc::new(Mutex::new(Slot {
            output: None,
            waiting: None,
        }));
        let theirs = Arc::clone(&slot);
        // It ends with its work; nobody cancels it; the slot has its result; there is
        // one for a future.
        thread::spawn(move || {
            let output = work();
            let waiting = {
                let mut slot = theirs.lock().expect("nobody panics under it");
                slot.output = Some(output);
                slot.waiting.take()
            };
            if let Some(waker) = waiting {
                waker.wake();
            }
        });
        InThread(slot)
    }
}

impl<T> Future for InThread<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut slot = self.0.lock().expect("nobody panics under it");
        match slot.output.take() {
            Some(output) => Poll::Ready(output),
            None => {
                slot.waiting = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// A blocking call, if ever there was one.
fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

/// Both halves of a page, side by side.
pub(crate) fn load_home(address: SocketAddr) -> (io::Result<String>, io::Result<String>) {
    let profile = InThread::start(move || get(address, "/users/42/profile"));
    let orders = InThread::start(move || get(address, "/users/42/orders"));
    block_on(Join::new(profile, orders))
}

fn main() -> Result<(), Box<dyn Error>> {
    let origin = origin::Origin::start(origin::Config::default())?;
    let (profile, orders) = load_home(origin.address());
    println!("{}\n\n{}", profile?, orders?);
    Ok(())
}
