//! Two wakes at once. They queue the task once, and the poll that comes sees
//! what both did before.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::Poll;

use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::thread;

use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

use crate::{caught, executor, model};

#[test]
fn two_wakes() {
    model(|| {
        let (executor, parker) = executor();
        let work = Arc::new(AtomicUsize::new(0));
        let polls = Cell::new(0);
        let future = poll_fn(|cx| {
            if polls.replace(polls.get() + 1) == 0 {
                for _ in 0..2 {
                    let (work, waker) = (Arc::clone(&work), cx.waker().clone());
                    thread::spawn(move || {
                        work.fetch_add(1, Ordering::Relaxed);
                        waker.wake();
                    });
                }
            }
            match work.load(Ordering::Relaxed) {
                2 => Poll::Ready(()),
                _ => Poll::Pending,
            }
        });
        executor.block_on(future, &*parker).unwrap();
        assert!(polls.get() <= 3, "polled {} times", polls.get());
    });
}

/// Two threads wake; gives how often that queued the task.
fn queued_by_two(wake: impl Fn() + Send + Sync + 'static) {
    let wake = std::sync::Arc::new(wake);
    let other = std::sync::Arc::clone(&wake);
    let other = thread::spawn(move || other());
    wake();
    other.join().unwrap();
}

#[test]
fn two_wakes_queue_once() {
    model(|| {
        let queue = RunQueue::new(Box::new(|| ()));
        let waker = waker(Task::new(1, Arc::clone(&queue)));
        queued_by_two(move || waker.wake_by_ref());
        assert!(queue.pop().is_some());
        assert!(queue.pop().is_none(), "queued twice");
    });
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_that_looks_and_then_sets_the_flag() {
    model(|| {
        let queued = Arc::new(AtomicBool::new(false));
        let entries = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&entries);
        queued_by_two(move || {
            if !queued.load(Ordering::Acquire) {
                queued.store(true, Ordering::Release);
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        assert_eq!(entries.load(Ordering::Relaxed), 1, "queued twice");
    });
}

#[test]
fn that_twin_is_caught() {
    caught(
        "two_wakes::twin_that_looks_and_then_sets_the_flag",
        "queued twice",
    );
}

/// A task in the queue is woken while it is taken out. Either that queues it
/// again, or the poll that comes sees the work.
fn woken_while_leaving(
    wake: impl FnOnce() + Send + 'static,
    leave_queue: impl FnOnce(),
    queued_again: impl FnOnce() -> bool,
) {
    let work = Arc::new(AtomicUsize::new(0));
    let done = Arc::clone(&work);
    let thread = thread::spawn(move || {
        done.store(1, Ordering::Relaxed);
        wake();
    });
    leave_queue();
    let seen = work.load(Ordering::Relaxed);
    thread.join().unwrap();
    assert!(seen == 1 || queued_again(), "the work was not seen");
}

#[test]
fn wake_while_leaving_the_queue() {
    model(|| {
        let queue = RunQueue::new(Box::new(|| ()));
        let waker = waker(Task::new(1, Arc::clone(&queue)));
        waker.wake_by_ref();
        let task = queue.pop().unwrap();
        woken_while_leaving(
            move || waker.wake(),
            || task.leave_queue(),
            || queue.pop().is_some(),
        );
        queue.close();
    });
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_that_leaves_by_a_store() {
    model(|| {
        let queued = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&queued);
        woken_while_leaving(
            move || {
                flag.swap(true, Ordering::AcqRel);
            },
            || queued.store(false, Ordering::Release),
            || queued.load(Ordering::Acquire),
        );
    });
}

#[test]
fn the_twin_with_a_store_is_caught() {
    caught(
        "two_wakes::twin_that_leaves_by_a_store",
        "the work was not seen",
    );
}
