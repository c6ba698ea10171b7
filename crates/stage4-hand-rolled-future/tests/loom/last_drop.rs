//! Wake against the last drop. The executor goes, with the task unfinished,
//! while a thread still has a waker, and may be the one who drops the last.

use std::cell::Cell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use loom::sync::Arc;
use loom::thread;

use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

use crate::{caught, executor, model};

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
    caught("last_drop::twin_that_does_not_close_the_queue", "leak");
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
    caught("last_drop::twin_without_a_drop_function", "leak");
}
