//! As many references as there are wakers: not one more, not one less.
#![allow(
    clippy::waker_clone_wake,
    reason = "it is `clone` and `wake` that are tested"
)]

use std::mem;
use std::rc::Rc;
use std::sync::Arc;

use ex23_raw_waker::{run, waker};
use fetch_core::{Options, Request};
use origin::{Config, Origin};
use stage4_hand_rolled_future::by_compiler;
use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::task::Task;

#[test]
fn clone_is_one_more_and_drop_is_one_less() {
    let counted = Counted::new(Box::new(|| ()));
    let first = waker(Arc::clone(&counted.task));
    counted.expect(1, "one waker");
    let second = first.clone();
    let third = second.clone();
    counted.expect(3, "one waker and two clones");
    drop(first);
    drop(third);
    counted.expect(1, "three wakers, and two of them dropped");
    drop(second);
    counted.expect(0, "three wakers, and all of them dropped");
}

#[test]
fn wake_takes_the_reference_of_the_waker_with_it() {
    let counted = Counted::new(Box::new(|| ()));
    let waker_1 = waker(Arc::clone(&counted.task));
    let waker_2 = waker(Arc::clone(&counted.task));
    waker_1.wake();
    counted.expect(2, "one waker has woken: the other one's, and the queue's");
    waker_2.wake();
    counted.expect(1, "both have woken, and the task is queued once");
    drop(counted.queue.pop());
    counted.expect(0, "both have woken, and the queue is empty");
}

#[test]
fn wake_by_ref_leaves_the_waker_its_reference() {
    let counted = Counted::new(Box::new(|| ()));
    let waker = waker(Arc::clone(&counted.task));
    waker.wake_by_ref();
    counted.expect(2, "the waker's, and the queue's");
    drop(counted.queue.pop());
    counted.expect(1, "the waker is still there");
    // What its drop does is another test's matter.
    mem::forget(waker);
}

#[test]
fn both_ways_to_wake_queue_the_task_once() {
    let counted = Counted::new(Box::new(|| ()));
    let waker = waker(Arc::clone(&counted.task));
    for by_reference in [true, false] {
        for _ in 0..2 {
            match by_reference {
                true => waker.wake_by_ref(),
                false => waker.clone().wake(),
            }
        }
        let task = counted.queue.pop().expect("waking has not queued the task");
        task.leave_queue();
        assert!(counted.queue.pop().is_none(), "two wakes, one poll");
    }
}

#[test]
fn wakers_of_one_task_are_alike() {
    let (one, other) = (Counted::new(Box::new(|| ())), Counted::new(Box::new(|| ())));
    let first = waker(Arc::clone(&one.task));
    assert!(first.will_wake(&first.clone()));
    assert!(first.will_wake(&waker(Arc::clone(&one.task))));
    assert!(!first.will_wake(&waker(Arc::clone(&other.task))));
}

#[test]
fn a_fetch_leaves_no_reference_behind() -> Result<(), Box<dyn std::error::Error>> {
    let origin = Origin::start(Config::default())?;
    let reactor = Reactor::new()?;
    let counted = Counted::new(reactor.unpark());
    let request = Request::get(&origin.url("/delay/50/16"))?;
    let options = Rc::new(Options::default());
    let fetch = by_compiler::fetch(0, request, options, Rc::clone(&reactor));
    let response = run(&counted.task, &counted.queue, fetch, &*reactor)??;
    assert_eq!(response.body().len(), 16);
    drop(counted.queue.pop());
    counted.expect(
        0,
        "the fetch is done, its future dropped, and the queue empty",
    );
    eprintln!("a fetch, and as many references as before");
    Ok(())
}

/// A task whose references are counted.
struct Counted {
    queue: Arc<RunQueue>,
    task: Arc<Task>,
    at_first: usize,
}

impl Counted {
    fn new(unpark: Box<dyn Fn() + Send + Sync>) -> Self {
        let queue = RunQueue::new(unpark);
        let task = Task::new(1, Arc::clone(&queue));
        // A reserve that is never given back. Whoever gives back too much finds
        // a task that is still there, and gets a message instead of a crash.
        for _ in 0..1000 {
            mem::forget(Arc::clone(&task));
        }
        Counted {
            queue,
            at_first: Arc::strong_count(&task),
            task,
        }
    }

    /// Beside those that were there at first there are to be so many.
    fn expect(&self, more: usize, when: &str) {
        let (now, expected) = (Arc::strong_count(&self.task), self.at_first + more);
        assert!(
            now <= expected,
            "{when}: that makes {more}, and the count is higher by {}: references are left over, and \
             the task is never freed",
            now - expected
        );
        assert!(
            now >= expected,
            "{when}: that makes {more}, and the count is lower by {}: given back too early, so that \
             the task is freed while a waker points to it",
            expected - now
        );
    }
}
