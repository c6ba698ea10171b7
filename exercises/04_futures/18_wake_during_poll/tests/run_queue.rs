//! Whoever is woken is polled again, once.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use std::time::{Duration, Instant};

use ex18_wake_during_poll::{BoxedFuture, run};
use origin::{Config, Origin};
use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::tcp::TcpStream;
use stage4_hand_rolled_future::timers::Sleep;

#[test]
fn two_short_answers_side_by_side() -> io::Result<()> {
    let origin = Origin::start(Config::default())?;
    let reactor = Reactor::new()?;
    let lengths = RefCell::new(Vec::new());
    let futures = ["/delay/90/16", "/delay/30/8"].map(|path| -> BoxedFuture<'_> {
        Box::pin(async {
            let length = length_of_body(&reactor, origin.address(), path).await;
            lengths.borrow_mut().push(length.ok());
        })
    });
    run(futures.into(), &*reactor)?;
    assert_eq!(lengths.take(), [Some(8), Some(16)]);
    Ok(())
}

#[test]
fn a_body_is_read_to_its_end() -> io::Result<()> {
    let origin = Origin::start(Config::default())?;
    let reactor = Reactor::new()?;
    let (length, polls) = (Cell::new(None), Cell::new(0));
    let fetch = async {
        let fetched = length_of_body(&reactor, origin.address(), "/bytes/200000").await;
        length.set(fetched.ok());
    };
    run(vec![Box::pin(counted(&polls, fetch))], &*reactor)?;
    assert_eq!(length.get(), Some(200_000));
    eprintln!("200,000 bytes: {} polls", polls.get());
    Ok(())
}

#[test]
fn a_wake_during_the_poll_leads_to_another() -> io::Result<()> {
    let mut left = 3;
    run(
        vec![Box::pin(poll_fn(move |cx| {
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        }))],
        &NoSleep,
    )
}

#[test]
fn who_wakes_himself_goes_to_the_end_of_the_queue() -> io::Result<()> {
    let order = RefCell::new(String::new());
    let futures = ['a', 'b'].map(|name| -> BoxedFuture<'_> {
        let (order, mut left) = (&order, 2);
        Box::pin(poll_fn(move |cx| {
            order.borrow_mut().push(name);
            if left == 0 {
                return Poll::Ready(());
            }
            left -= 1;
            cx.waker().wake_by_ref();
            Poll::Pending
        }))
    });
    run(futures.into(), &NoSleep)?;
    assert_eq!(order.take(), "ababab", "each in its turn");
    Ok(())
}

#[test]
fn many_wakes_are_one_poll() -> io::Result<()> {
    let reactor = Reactor::new()?;
    let (polls, its_waker) = (Cell::new(0), Cell::new(None::<Waker>));
    let mut sleep = sleep(&reactor, 50);
    let woken = poll_fn(|cx| {
        its_waker.set(Some(cx.waker().clone()));
        Pin::new(&mut sleep).poll(cx)
    });
    let wakes = async {
        if let Some(waker) = its_waker.take() {
            (0..100).for_each(|_| waker.wake_by_ref());
        }
    };
    run(
        vec![Box::pin(counted(&polls, woken)), Box::pin(wakes)],
        &*reactor,
    )?;
    // The first, one for all the wakes, and one for the timer.
    let polls = polls.get();
    assert!(
        polls < 10,
        "100 wakes, one right after the other, gave {polls} polls"
    );
    Ok(())
}

/// Woken by itself during its poll, and by another before its turn comes.
#[test]
fn two_wakes_in_one_round_are_one_poll() -> io::Result<()> {
    let reactor = Reactor::new()?;
    let (polls, its_waker) = (Cell::new(0), Cell::new(None::<Waker>));
    let mut sleep = sleep(&reactor, 50);
    let mut first = true;
    let woken = poll_fn(|cx| {
        if std::mem::take(&mut first) {
            its_waker.set(Some(cx.waker().clone()));
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Pin::new(&mut sleep).poll(cx)
    });
    let wakes = async {
        if let Some(waker) = its_waker.take() {
            waker.wake();
        }
    };
    run(
        vec![Box::pin(counted(&polls, woken)), Box::pin(wakes)],
        &*reactor,
    )?;
    // The first, one for both wakes, and one for the timer.
    assert_eq!(
        polls.get(),
        3,
        "a task that was in the queue was put into it once more"
    );
    Ok(())
}

#[test]
fn who_waits_is_not_polled() -> io::Result<()> {
    let reactor = Reactor::new()?;
    let polls = Cell::new(0);
    let waits = counted(&polls, sleep(&reactor, 100));
    run(vec![Box::pin(waits)], &*reactor)?;
    let polls = polls.get();
    assert!(
        polls < 10,
        "{polls} polls in 100 ms, though nobody has woken the task"
    );
    Ok(())
}

/// The length of what `path` has for a body, read in small pieces.
async fn length_of_body(
    reactor: &Rc<Reactor>,
    address: SocketAddr,
    path: &str,
) -> io::Result<usize> {
    let stream = TcpStream::connect(reactor, 0, address).await?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let mut unsent = request.as_bytes();
    while !unsent.is_empty() {
        let sent = stream.write(unsent).await?;
        unsent = &unsent[sent..];
    }
    let mut response = Vec::new();
    let mut piece = [0; 512];
    loop {
        match stream.read(&mut piece).await? {
            0 => break,
            length => response.extend_from_slice(&piece[..length]),
        }
    }
    let head = response.windows(4).position(|four| four == b"\r\n\r\n");
    let head = head.ok_or(io::ErrorKind::InvalidData)?;
    Ok(response.len() - head - 4)
}

fn sleep(reactor: &Rc<Reactor>, milliseconds: u64) -> Sleep {
    let moment = Instant::now() + Duration::from_millis(milliseconds);
    Sleep::until(reactor, 0, moment)
}

/// `future`, and how often it is polled.
fn counted<F: Future>(polls: &Cell<usize>, future: F) -> impl Future<Output = F::Output> {
    let mut future = Box::pin(future);
    poll_fn(move |cx| {
        polls.set(polls.get() + 1);
        future.as_mut().poll(cx)
    })
}

/// For futures that are always woken: there is no time to sleep.
struct NoSleep;

impl Park for NoSleep {
    fn park(&self, _may_wait: bool) -> io::Result<()> {
        panic!("the executor goes to sleep, though a task was woken while it was being polled")
    }
}
