//! One thread, one future, and it sleeps while that waits.

use std::future::{poll_fn, ready};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::{Arc, Barrier};
use std::task::Poll;
use std::thread;
use std::time::Duration;

use ex15_block_on::block_on;
use fetch_core::{FetchError, Request, Resolve};
use stage4_hand_rolled_future::join::Join;
use stage4_hand_rolled_future::resolve::Resolving;

#[test]
fn the_first_poll_needs_no_wake() {
    assert_eq!(block_on(ready("here")), "here");
}

#[test]
fn waiting_takes_no_polls() -> Result<(), FetchError> {
    let mut name = pin!(name_from(Arc::new(Slow))?);
    let mut polls = 0;
    let addresses = block_on(poll_fn(|cx| {
        polls += 1;
        name.as_mut().poll(cx)
    }));
    assert_eq!(addresses, Ok(vec![here(80)]));
    eprintln!("100 ms of waiting: {polls} polls");
    // Two, and some for a thread that was unparked for no reason.
    assert!(
        polls < 8,
        "{polls} polls in 100 ms, while there was nothing to do: the thread is to sleep until \
         the waker is called"
    );
    Ok(())
}

#[test]
fn two_names_are_looked_up_side_by_side() -> Result<(), FetchError> {
    // Neither has an answer before the other has been asked.
    let both: Arc<dyn Resolve> = Arc::new(Together(Barrier::new(2)));
    let (one, two) = block_on(Join::new(name_from(Arc::clone(&both))?, name_from(both)?));
    assert_eq!((one, two), (Ok(vec![here(80)]), Ok(vec![here(80)])));
    Ok(())
}

#[test]
fn a_wake_during_the_poll_is_remembered() {
    let mut left = 1000;
    block_on(poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        // Called before the thread sleeps, so it must not sleep.
        cx.waker().wake_by_ref();
        Poll::Pending
    }));
}

#[test]
fn an_unpark_for_no_reason_ends_nothing() -> Result<(), FetchError> {
    let name = name_from(Arc::new(Slow))?;
    // Nobody has called a waker, and the next `park` returns at once.
    thread::current().unpark();
    assert_eq!(block_on(name), Ok(vec![here(80)]));
    Ok(())
}

/// Stage 4's future of a host's addresses. `resolver` is asked on a thread of
/// its own, which calls the waker when it has the answer.
fn name_from(resolver: Arc<dyn Resolve>) -> Result<Resolving, FetchError> {
    let request = Request::get("http://a.name.test/")?;
    Ok(Resolving::new(0, &request, &resolver))
}

fn here(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// Takes 100 ms for an answer.
#[derive(Debug)]
struct Slow;

impl Resolve for Slow {
    fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        thread::sleep(Duration::from_millis(100));
        Ok(vec![here(port)])
    }
}

/// Answers when as many have been asked as the barrier says.
#[derive(Debug)]
struct Together(Barrier);

impl Resolve for Together {
    fn resolve(&self, _host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        self.0.wait();
        Ok(vec![here(port)])
    }
}
