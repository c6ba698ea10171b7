//! The table's four functions keep count. Also to be run under valgrind.
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(
    clippy::waker_clone_wake,
    reason = "it is `clone` and `wake` that are tested"
)]

use std::sync::Arc;
use std::thread;

use stage4_hand_rolled_future::queue::RunQueue;
use stage4_hand_rolled_future::task::Task;
use stage4_hand_rolled_future::waker::waker;

fn task() -> (Arc<RunQueue>, Arc<Task>) {
    let queue = RunQueue::new(Box::new(|| ()));
    let task = Task::new(1, Arc::clone(&queue));
    (queue, task)
}

#[test]
fn clone_and_drop_balance() {
    let (_queue, task) = task();
    let first = waker(Arc::clone(&task));
    assert_eq!(Arc::strong_count(&task), 2);
    let second = first.clone();
    assert_eq!(Arc::strong_count(&task), 3);
    drop(first);
    drop(second);
    assert_eq!(Arc::strong_count(&task), 1);
}

#[test]
fn wake_gives_its_reference_to_the_queue() {
    let (queue, task) = task();
    let waker = waker(Arc::clone(&task));
    waker.clone().wake();
    assert_eq!(
        Arc::strong_count(&task),
        3,
        "ours, the waker's, the queue's"
    );
    waker.clone().wake();
    assert_eq!(Arc::strong_count(&task), 3, "it is queued already");
    waker.wake_by_ref();
    assert_eq!(Arc::strong_count(&task), 3);
    drop(queue.pop());
    drop(waker);
    assert_eq!(Arc::strong_count(&task), 1);
}

#[test]
fn two_wakes_queue_once() {
    let (queue, task) = task();
    let waker = waker(task);
    waker.wake_by_ref();
    waker.wake_by_ref();
    queue.pop().unwrap().leave_queue();
    assert!(queue.pop().is_none());
    waker.wake_by_ref();
    assert!(queue.pop().is_some());
}

#[test]
fn a_closed_queue_keeps_nothing() {
    let (queue, task) = task();
    let waker = waker(Arc::clone(&task));
    waker.wake_by_ref();
    queue.close();
    assert_eq!(Arc::strong_count(&task), 2);
    queue.pop();
    task.leave_queue();
    waker.wake();
    assert_eq!(Arc::strong_count(&task), 1);
}

#[test]
fn wakers_of_one_task_are_alike() {
    let (_queue, one) = task();
    let (_other_queue, two) = task();
    let first = waker(Arc::clone(&one));
    assert!(first.will_wake(&first.clone()));
    assert!(first.will_wake(&waker(one)));
    assert!(!first.will_wake(&waker(two)));
}

#[test]
fn many_threads_clone_wake_and_drop() {
    let (queue, task) = task();
    let first = waker(Arc::clone(&task));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let waker = first.clone();
            thread::spawn(move || {
                for _ in 0..200 {
                    waker.clone().wake();
                    waker.wake_by_ref();
                    drop(waker.clone());
                }
            })
        })
        .collect();
    for _ in 0..200 {
        if let Some(task) = queue.pop() {
            task.leave_queue();
        }
    }
    for thread in threads {
        thread.join().unwrap();
    }
    drop(first);
    queue.close();
    assert_eq!(Arc::strong_count(&task), 1);
}
