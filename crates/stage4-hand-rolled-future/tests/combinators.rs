//! Futures made of futures.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn, ready};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use stage4_hand_rolled_future::join::{Join, JoinAll, TryJoin};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::semaphore::{Acquire, Semaphore};
use stage4_hand_rolled_future::timeout::Timeout;
use stage4_hand_rolled_future::timers::Sleep;

fn after(runtime: &Runtime, milliseconds: u64) -> Sleep {
    let moment = Instant::now() + Duration::from_millis(milliseconds);
    Sleep::until(runtime.reactor(), 0, moment)
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn join_waits_for_the_longer() {
    let runtime = Runtime::new().unwrap();
    let start = Instant::now();
    runtime
        .block_on(Join::new(after(&runtime, 300), after(&runtime, 200)))
        .unwrap();
    let elapsed = start.elapsed();
    assert!(elapsed >= Duration::from_millis(300));
    // One after the other would be 500.
    assert!(elapsed < Duration::from_millis(490), "{elapsed:?}");
    assert_eq!(runtime.reactor().registered(), (0, 0));
}

#[test]
fn join_keeps_the_first_output_and_drops_the_first_future() {
    let held = Rc::new(());
    let theirs = Rc::clone(&held);
    let first = async move {
        let _held = theirs;
        1
    };
    let gate = Rc::new(Cell::new(false));
    let second = poll_fn(|_| {
        if gate.get() {
            Poll::Ready(2)
        } else {
            Poll::Pending
        }
    });
    let mut both = pin!(Join::new(first, second));
    assert!(poll_once(both.as_mut()).is_pending());
    assert_eq!(Rc::strong_count(&held), 1);
    gate.set(true);
    assert_eq!(poll_once(both), Poll::Ready((1, 2)));
}

#[test]
fn try_join_ends_the_other_at_the_first_error() {
    let runtime = Runtime::new().unwrap();
    let held = Rc::new(());
    let waits = || {
        let held = Rc::clone(&held);
        async move {
            let _held = held;
            pending::<Result<i32, &str>>().await
        }
    };
    let fails = || async {
        after(&runtime, 10).await;
        Err::<i32, _>("no")
    };

    let mut both = pin!(TryJoin::new(fails(), waits()));
    assert_eq!(runtime.block_on(both.as_mut()).unwrap(), Err("no"));
    // The joined future itself is still there.
    assert_eq!(Rc::strong_count(&held), 1);

    let mut both = pin!(TryJoin::new(waits(), fails()));
    assert_eq!(runtime.block_on(both.as_mut()).unwrap(), Err("no"));
    assert_eq!(Rc::strong_count(&held), 1);

    let both = TryJoin::new(ready(Ok::<_, ()>(1)), ready(Ok("two")));
    assert_eq!(runtime.block_on(both).unwrap(), Ok((1, "two")));
}

#[test]
fn join_all_keeps_the_order() {
    let runtime = Runtime::new().unwrap();
    let runtime_ref = &runtime;
    let futures = (0..10).map(|index| {
        Box::pin(async move {
            after(runtime_ref, 50 - 5 * index).await;
            index
        })
    });
    let outputs = runtime.block_on(JoinAll::new(futures)).unwrap();
    assert_eq!(outputs, (0..10).collect::<Vec<_>>());
    let none = JoinAll::new(Vec::<std::future::Ready<()>>::new());
    assert!(runtime.block_on(none).unwrap().is_empty());
}

#[test]
fn timeout_is_in_time_or_late() {
    let runtime = Runtime::new().unwrap();
    let soon = Instant::now() + Duration::from_millis(20);
    let late = Timeout::at(runtime.reactor(), 0, soon, pending::<()>());
    assert_eq!(runtime.block_on(late).unwrap(), None);
    assert!(Instant::now() >= soon);
    // Done is done, even at a moment that has passed.
    let done = Timeout::at(runtime.reactor(), 0, soon, ready(1));
    assert_eq!(runtime.block_on(done).unwrap(), Some(1));
    assert_eq!(runtime.reactor().registered(), (0, 0));
}

#[test]
fn the_semaphore_serves_in_order_and_forgets_who_leaves() {
    let semaphore = Semaphore::new(1);
    let permit = semaphore.try_acquire().unwrap();
    assert!(semaphore.try_acquire().is_none());
    let (mut first, mut second, mut third) = (
        semaphore.acquire(),
        semaphore.acquire(),
        semaphore.acquire(),
    );
    for waiting in [&mut first, &mut second, &mut third] {
        assert!(poll_once(Pin::new(waiting)).is_pending());
    }
    drop(permit);
    assert!(semaphore.try_acquire().is_none(), "nobody overtakes");
    assert!(poll_once(Pin::new(&mut second)).is_pending());
    // The first was woken, and leaves without its permit.
    drop(first);
    let Poll::Ready(permit) = poll_once(Pin::new(&mut second)) else {
        panic!("the second is first now");
    };
    assert!(poll_once(Pin::new(&mut third)).is_pending());
    drop(permit);
    assert!(poll_once(Pin::new(&mut third)).is_ready());
}

thread_local! {
    static ALSO_WAITS: RefCell<Option<Acquire>> = const { RefCell::new(None) };
}

/// A waker that is the last to keep somebody who waits, too.
struct TakesAnotherAlong;

impl Wake for TakesAnotherAlong {
    fn wake(self: Arc<Self>) {}
}

impl Drop for TakesAnotherAlong {
    fn drop(&mut self) {
        drop(ALSO_WAITS.take());
    }
}

#[test]
fn the_semaphore_is_free_when_an_old_waker_goes() {
    let semaphore = Semaphore::new(1);
    let permit = semaphore.try_acquire().unwrap();
    let (mut first, mut second) = (semaphore.acquire(), semaphore.acquire());
    let last = Waker::from(Arc::new(TakesAnotherAlong));
    assert!(
        Pin::new(&mut first)
            .poll(&mut Context::from_waker(&last))
            .is_pending()
    );
    assert!(poll_once(Pin::new(&mut second)).is_pending());
    ALSO_WAITS.replace(Some(second));
    drop(last);
    assert!(poll_once(Pin::new(&mut first)).is_pending());
    assert!(ALSO_WAITS.take().is_none());
    drop(permit);
    assert!(poll_once(Pin::new(&mut first)).is_ready());
}

#[test]
fn a_waiter_that_leaves_passes_the_wake_on() {
    let runtime = Runtime::new().unwrap();
    let one = Semaphore::new(1);
    let permit = one.try_acquire().unwrap();
    let mut leaving = Some(one.acquire());
    assert!(poll_once(Pin::new(leaving.as_mut().unwrap())).is_pending());
    let waiting = runtime.spawn({
        let one = one.clone();
        async move { drop(one.acquire().await) }
    });
    let root = async {
        after(&runtime, 5).await;
        drop(permit);
        after(&runtime, 5).await;
        drop(leaving.take());
        waiting.await;
    };
    let moment = Instant::now() + Duration::from_secs(5);
    let bounded = Timeout::at(runtime.reactor(), 0, moment, root);
    assert_eq!(runtime.block_on(bounded).unwrap(), Some(()));
}
