//! Every order in which a wake can meet the executor. `scripts/loom.sh`
//!
//! loom runs a model once for each way in which its threads can interleave,
//! and for each value that a relaxed read may return; at the end of each run it
//! looks for what was not dropped. At most three times a run is a thread
//! interrupted where it does not wait: the models then take seconds, and nearly
//! all mistakes need fewer.
//!
//! A model that cannot fail proves nothing. So each has a *twin*, the same with
//! one mistake, and a test that loom finds the mistake. A deadlock aborts the
//! process, so twins run in one of their own.
#![cfg(loom)]
#![allow(clippy::unwrap_used, reason = "tests")]

use std::cell::Cell;
use std::future::poll_fn;
use std::process::Command;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use loom::sync::{Arc, Condvar, Mutex};
use loom::thread;

use stage4_hand_rolled_future::executor::{Executor, Park};
use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

fn model(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Stands in for the reactor: sleeps until `unpark`, which it remembers.
#[derive(Default)]
struct Parker {
    unparked: Mutex<bool>,
    changed: Condvar,
}

impl Parker {
    fn unpark(self: &std::sync::Arc<Self>) -> Box<dyn Fn() + Send + Sync> {
        let parker = std::sync::Arc::clone(self);
        Box::new(move || {
            *parker.unparked.lock().unwrap() = true;
            parker.changed.notify_one();
        })
    }
}

impl Park for Parker {
    fn park(&self, may_wait: bool) -> std::io::Result<()> {
        let mut unparked = self.unparked.lock().unwrap();
        while may_wait && !*unparked {
            unparked = self.changed.wait(unparked).unwrap();
        }
        *unparked = false;
        Ok(())
    }
}

/// An executor, and where it sleeps.
fn executor() -> (Executor, std::sync::Arc<Parker>) {
    let parker = std::sync::Arc::new(Parker::default());
    (Executor::new(parker.unpark()), parker)
}

// Wake during poll. The thread may wake before the poll returns, and then
// nobody wakes again.

/// Starts a thread that does its work and wakes, and does not wait for it. Done
/// when the work is. It reads the work relaxed: that it sees it at all is the
/// waker's doing.
fn woken_during_poll(cx: &mut Context<'_>, work: &mut Option<Arc<AtomicUsize>>) -> Poll<()> {
    if let Some(done) = work {
        assert_eq!(done.load(Ordering::Relaxed), 1, "woken before the work");
        return Poll::Ready(());
    }
    let done = Arc::new(AtomicUsize::new(0));
    *work = Some(Arc::clone(&done));
    let waker = cx.waker().clone();
    thread::spawn(move || {
        done.store(1, Ordering::Relaxed);
        waker.wake();
    });
    Poll::Pending
}

#[test]
fn wake_during_poll() {
    model(|| {
        let (executor, parker) = executor();
        let mut work = None;
        executor
            .block_on(poll_fn(|cx| woken_during_poll(cx, &mut work)), &*parker)
            .unwrap();
    });
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_that_clears_the_flag_after_the_poll() {
    model(|| {
        let parker = std::sync::Arc::new(Parker::default());
        let queue = RunQueue::new(parker.unpark());
        Task::wake(Task::new(1, Arc::clone(&queue)));
        let mut work = None;
        loop {
            while let Some(task) = queue.pop() {
                let waker = waker(Arc::clone(&task));
                if woken_during_poll(&mut Context::from_waker(&waker), &mut work).is_ready() {
                    return;
                }
                task.leave_queue();
            }
            parker.park(queue.may_park()).unwrap();
        }
    });
}

#[test]
fn its_twin_is_caught() {
    caught("twin_that_clears_the_flag_after_the_poll", "deadlock");
}

// Two wakes at once. They queue the task once, and the poll that comes sees
// what both did before.

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
    caught("twin_that_looks_and_then_sets_the_flag", "queued twice");
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
    caught("twin_that_leaves_by_a_store", "the work was not seen");
}

// Wake against the last drop. The executor goes, with the task unfinished,
// while a thread still has a waker, and may be the one who drops the last.

/// Says when it is dropped, and leaks if it is not.
struct Held {
    drops: Rc<Cell<usize>>,
    _leaks: Arc<()>,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.drops.set(self.drops.get() + 1);
    }
}

#[test]
fn wake_against_the_last_drop() {
    model(|| {
        let (executor, parker) = executor();
        let drops = Rc::new(Cell::new(0));
        let wakers = Rc::new(Cell::new(None::<Waker>));
        let (held, kept) = (
            Held {
                drops: Rc::clone(&drops),
                _leaks: Arc::new(()),
            },
            Rc::clone(&wakers),
        );
        let task = executor.spawn(poll_fn(move |cx| {
            let _ = &held;
            kept.set(Some(cx.waker().clone()));
            Poll::<()>::Pending
        }));
        // Long enough for the task's first poll.
        let mut turns = 0;
        let root = poll_fn(|cx| {
            turns += 1;
            cx.waker().wake_by_ref();
            if turns > 1 {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        });
        executor.block_on(root, &*parker).unwrap();
        let waker = wakers.take().expect("polled once");

        let late = thread::spawn(move || {
            waker.wake_by_ref();
            drop(waker);
        });
        drop(executor);
        assert_eq!(drops.get(), 1, "the future is dropped with its executor");
        late.join().unwrap();
        drop(task);
        assert_eq!(drops.get(), 1, "and once");
    });
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_that_does_not_close_the_queue() {
    model(|| {
        let queue = RunQueue::new(Box::new(|| ()));
        let waker = waker(Task::new(1, Arc::clone(&queue)));
        let late = thread::spawn(move || waker.wake());
        // No `queue.close()`: the task is in the queue that it holds.
        drop(queue);
        late.join().unwrap();
    });
}

#[test]
fn the_circle_is_caught() {
    caught("twin_that_does_not_close_the_queue", "leak");
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_without_a_drop_function() {
    model(|| {
        let queue = RunQueue::new(Box::new(|| ()));
        let waker = waker(Task::new(1, Arc::clone(&queue)));
        let late = thread::spawn(move || {
            waker.wake_by_ref();
            // What a table whose `drop` does nothing comes to.
            std::mem::forget(waker);
        });
        queue.close();
        late.join().unwrap();
    });
}

#[test]
fn the_kept_reference_is_caught() {
    caught("twin_without_a_drop_function", "leak");
}

// Wake against park. The executor finds nothing to do and goes to sleep; the
// wake comes in between.

/// A thread wakes at any time after the first poll.
fn woken_later(cx: &mut Context<'_>, polled: &Cell<bool>) -> Poll<()> {
    if polled.replace(true) {
        return Poll::Ready(());
    }
    let waker = cx.waker().clone();
    thread::spawn(move || waker.wake());
    Poll::Pending
}

#[test]
fn wake_against_park() {
    model(|| {
        let (executor, parker) = executor();
        // Twice: the second wait must not live on what is left of the first.
        for _ in 0..2 {
            let polled = Cell::new(false);
            executor
                .block_on(poll_fn(|cx| woken_later(cx, &polled)), &*parker)
                .unwrap();
        }
    });
}

#[test]
#[ignore = "a twin with a mistake: run by the test below"]
fn twin_that_sleeps_without_looking_again() {
    model(|| {
        let parker = std::sync::Arc::new(Parker::default());
        let queue = RunQueue::new(parker.unpark());
        Task::wake(Task::new(1, Arc::clone(&queue)));
        let polled = Cell::new(false);
        loop {
            while let Some(task) = queue.pop() {
                task.leave_queue();
                let waker = waker(task);
                if woken_later(&mut Context::from_waker(&waker), &polled).is_ready() {
                    return;
                }
            }
            // It found the queue empty a moment ago, and that is enough for it.
            queue.may_park();
            parker.park(true).unwrap();
        }
    });
}

#[test]
fn the_sleeper_is_caught() {
    caught("twin_that_sleeps_without_looking_again", "deadlock");
}

/// Runs a twin in a process of its own, which must fail and say why.
#[track_caller]
fn caught(twin: &str, complaint: &str) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", twin, "--ignored", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(!output.status.success(), "{twin} passed");
    assert!(said.contains(complaint), "{twin} failed otherwise: {said}");
}
