//! Who is polled, when, and how often.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use stage4_hand_rolled_future::executor::{Executor, Park};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

/// Parks the thread, a second at most, and counts how often it was asked.
#[derive(Default)]
struct ThreadPark(Cell<usize>);

impl Park for ThreadPark {
    fn park(&self, may_wait: bool) -> io::Result<()> {
        self.0.set(self.0.get() + 1);
        if may_wait {
            let asleep = Instant::now();
            thread::park_timeout(Duration::from_secs(1));
            if asleep.elapsed() >= Duration::from_secs(1) {
                return Err(io::Error::other("nobody woke this thread: a lost wake-up"));
            }
        }
        Ok(())
    }
}

fn executor() -> Executor {
    let thread = thread::current();
    Executor::new(Box::new(move || thread.unpark()))
}

fn block_on<F: Future>(executor: &Executor, future: F) -> F::Output {
    executor.block_on(future, &ThreadPark::default()).unwrap()
}

/// Lets all others run once.
fn yield_now() -> impl Future<Output = ()> {
    let mut yielded = false;
    poll_fn(move |cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
}

#[test]
fn nothing_runs_before_the_first_poll() {
    let executor = executor();
    let polled = Rc::new(Cell::new(false));
    let seen = Rc::clone(&polled);
    let task = executor.spawn(async move { seen.set(true) });
    assert!(!polled.get());
    block_on(&executor, task);
    assert!(polled.get());
}

#[test]
fn first_in_first_out() {
    let executor = executor();
    let order = Rc::new(RefCell::new(Vec::new()));
    let tasks: Vec<_> = (0..5)
        .map(|id| {
            let order = Rc::clone(&order);
            executor.spawn(async move {
                for _ in 0..3 {
                    order.borrow_mut().push(id);
                    yield_now().await;
                }
            })
        })
        .collect();
    block_on(&executor, async {
        for task in tasks {
            task.await;
        }
    });
    assert_eq!(*order.borrow(), [0, 1, 2, 3, 4].repeat(3));
}

#[test]
fn a_wake_during_the_poll_polls_once_more() {
    let executor = executor();
    let mut polls = 0;
    let future = poll_fn(|cx| {
        polls += 1;
        if polls == 1 {
            // Two wakes, one further poll; then nobody wakes.
            cx.waker().wake_by_ref();
            cx.waker().wake_by_ref();
            let late = cx.waker().clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(50));
                late.wake();
            });
        }
        if polls == 3 {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    });
    let start = Instant::now();
    block_on(&executor, future);
    assert_eq!(polls, 3);
    assert!(
        start.elapsed() >= Duration::from_millis(50),
        "polled thrice at once"
    );
}

#[test]
fn wakes_from_another_thread_are_not_lost() {
    let executor = executor();
    let count = Arc::new(AtomicUsize::new(0));
    let mut started = false;
    let future = poll_fn(|cx| {
        if !std::mem::replace(&mut started, true) {
            for _ in 0..4 {
                let (waker, count) = (cx.waker().clone(), Arc::clone(&count));
                thread::spawn(move || {
                    for _ in 0..500 {
                        count.fetch_add(1, Ordering::Relaxed);
                        waker.wake_by_ref();
                        thread::yield_now();
                    }
                });
            }
        }
        if count.load(Ordering::Relaxed) == 2000 {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    });
    block_on(&executor, future);
}

#[test]
fn a_wake_after_completion_is_harmless() {
    let executor = executor();
    let kept = Rc::new(Cell::new(None::<Waker>));
    let keep = Rc::clone(&kept);
    let task = executor.spawn(poll_fn(move |cx| {
        keep.set(Some(cx.waker().clone()));
        Poll::Ready(7)
    }));
    assert_eq!(block_on(&executor, task), 7);
    let waker = kept.take().unwrap();
    waker.wake_by_ref();
    block_on(&executor, yield_now());
    drop(executor);
    waker.wake();
}

#[test]
fn dropping_the_handle_drops_the_future() {
    let executor = executor();
    let held = Rc::new(());
    let theirs = Rc::clone(&held);
    let task = executor.spawn(async move {
        let _held = theirs;
        pending::<()>().await;
    });
    block_on(&executor, yield_now());
    assert_eq!(Rc::strong_count(&held), 2);
    assert_eq!(executor.unfinished(), 1);
    drop(task);
    assert_eq!(Rc::strong_count(&held), 1);
    assert_eq!(executor.unfinished(), 0);
}

#[test]
fn dropping_the_executor_drops_all_futures_once() {
    let executor = executor();
    let held = Rc::new(());
    let (first, second) = (Rc::clone(&held), Rc::clone(&held));
    // All wakers of the first are gone: it can never run, and is dropped still.
    let first = executor.spawn(async move {
        let _held = first;
        pending::<()>().await;
    });
    // One future holds the handle of the other.
    let _second = executor.spawn(async move {
        let _held = second;
        first.await;
    });
    block_on(&executor, yield_now());
    assert_eq!(Rc::strong_count(&held), 3);
    drop(executor);
    assert_eq!(Rc::strong_count(&held), 1);
}

#[test]
fn a_task_may_cancel_itself_and_start_another_while_it_is_polled() {
    let executor = Rc::new(executor());
    let own = Rc::new(Cell::new(None));
    let (theirs, handle) = (Rc::clone(&own), Rc::downgrade(&executor));
    let held = Rc::new(());
    let kept = Rc::clone(&held);
    let task = executor.spawn(async move {
        let _kept = kept;
        drop(theirs.take());
        // Its place is empty now; the next task must not be put there.
        let next = handle.upgrade().unwrap().spawn(async { 1 });
        theirs.set(Some(next));
        pending::<i32>().await
    });
    own.set(Some(task));
    block_on(&executor, async {
        yield_now().await;
        yield_now().await;
    });
    assert_eq!(
        Rc::strong_count(&held),
        1,
        "the cancelled future is dropped"
    );
    assert_eq!(block_on(&executor, own.take().unwrap()), 1);
}

#[test]
fn a_task_that_is_always_ready_does_not_starve_the_reactor() {
    let runtime = Runtime::new().unwrap();
    let _busy = runtime.spawn(poll_fn(|cx| {
        cx.waker().wake_by_ref();
        Poll::<()>::Pending
    }));
    let moment = Instant::now() + Duration::from_millis(20);
    let start = Instant::now();
    runtime
        .block_on(Sleep::until(runtime.reactor(), 0, moment))
        .unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn while_all_wait_nobody_is_polled() {
    let executor = executor();
    let park = ThreadPark::default();
    let mut polls = 0;
    let future = poll_fn(|cx| {
        polls += 1;
        if polls > 1 {
            return Poll::Ready(());
        }
        let waker = cx.waker().clone();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(100));
            waker.wake();
        });
        Poll::Pending
    });
    executor.block_on(future, &park).unwrap();
    assert_eq!(polls, 2);
    // Once for the sleep, and perhaps a spurious return.
    assert!(park.0.get() <= 5, "parked {} times", park.0.get());
}
