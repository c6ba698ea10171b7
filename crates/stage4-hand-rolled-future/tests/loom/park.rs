//! Wake against park. The executor finds nothing to do and goes to sleep; the
//! wake comes in between.

use std::cell::Cell;
use std::future::poll_fn;
use std::task::{Context, Poll};

use loom::sync::Arc;
use loom::thread;

use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

use crate::{Parker, caught, executor, model};

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
    caught("park::twin_that_sleeps_without_looking_again", "deadlock");
}
