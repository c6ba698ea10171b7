//! Wake during poll. The thread may wake before the poll returns, and then
//! nobody wakes again.

use std::future::poll_fn;
use std::task::{Context, Poll};

use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;

use stage4_hand_rolled_future::executor::Park;
use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

use crate::{Parker, caught, executor, model};

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
    caught(
        "wake_during_poll::twin_that_clears_the_flag_after_the_poll",
        "deadlock",
    );
}
