//! The queue: order, room, closing, and no lost wake-up.

#![allow(clippy::unwrap_used)]

mod bounded;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use bounded::bounded;
use stage2_thread_pool::queue::{Queue, Refused};

fn queue<T>(capacity: usize) -> Arc<Queue<T>> {
    Arc::new(Queue::new(NonZeroUsize::new(capacity).unwrap()))
}

#[test]
fn first_in_first_out() {
    let queue = queue(3);
    for item in 0..3 {
        queue.push(item).unwrap();
    }
    assert_eq!(
        [queue.pop(), queue.pop(), queue.pop()].map(Option::unwrap),
        [0, 1, 2]
    );
}

#[test]
fn a_full_queue_refuses_and_takes_again_once_there_is_room() {
    let queue = queue(2);
    queue.try_push('a').unwrap();
    queue.try_push('b').unwrap();
    assert_eq!(queue.try_push('c'), Err(Refused::Full('c')));
    queue.pop();
    queue.try_push('c').unwrap();
}

#[test]
fn a_closed_queue_is_emptied_and_takes_nothing() {
    let queue = queue(2);
    queue.push(1).unwrap();
    queue.close();
    assert_eq!(queue.push(2), Err(2));
    assert_eq!(queue.try_push(3), Err(Refused::Closed(3)));
    assert_eq!(queue.pop(), Some(1));
    assert_eq!(queue.pop(), None);
    assert_eq!(queue.pop(), None, "and so it stays");
}

#[test]
fn clearing_hands_over_what_nobody_will_take() {
    let queue = queue(3);
    queue.push(1).unwrap();
    queue.push(2).unwrap();
    assert_eq!(queue.close_and_clear(), [1, 2]);
    assert_eq!(queue.pop(), None);
}

#[test]
fn closing_wakes_all_who_wait() {
    bounded(|| {
        let (empty, full) = (queue::<u8>(1), queue(1));
        full.push(0).unwrap();
        let waiting: Vec<_> = (0..8)
            .map(|number| {
                let (empty, full) = (Arc::clone(&empty), Arc::clone(&full));
                thread::spawn(move || match number % 2 {
                    0 => assert_eq!(empty.pop(), None),
                    _ => assert_eq!(full.push(number), Err(number)),
                })
            })
            .collect();
        // Whoever has not fallen asleep by now finds it closed; both must end.
        thread::sleep(Duration::from_millis(50));
        empty.close();
        full.close();
        for waiting in waiting {
            waiting.join().unwrap();
        }
    });
}

/// A wake-up that is lost leaves somebody asleep with work to do, and this
/// hangs. With small capacities both sides sleep most of the time.
#[test]
fn under_contention_every_item_arrives_once_and_nobody_is_left_asleep() {
    const PRODUCERS: usize = 6;
    const CONSUMERS: usize = 6;
    const EACH: usize = 3_000;

    for capacity in [1, 2, 3, 7] {
        bounded(move || {
            let queue = queue(capacity);
            let closed = Arc::new(AtomicBool::new(false));
            let consumers: Vec<_> = (0..CONSUMERS)
                .map(|_| {
                    let (queue, closed) = (Arc::clone(&queue), Arc::clone(&closed));
                    thread::spawn(move || {
                        let consumed: Vec<usize> = std::iter::from_fn(|| queue.pop()).collect();
                        assert!(closed.load(Ordering::SeqCst), "it gave up too early");
                        consumed
                    })
                })
                .collect();
            let producers: Vec<_> = (0..PRODUCERS)
                .map(|producer| {
                    let queue = Arc::clone(&queue);
                    thread::spawn(move || {
                        for item in 0..EACH {
                            queue.push(producer * EACH + item).unwrap();
                        }
                    })
                })
                .collect();
            for producer in producers {
                producer.join().unwrap();
            }
            closed.store(true, Ordering::SeqCst);
            queue.close();
            let consumed = consumers.into_iter().map(|each| each.join().unwrap());
            let all: Vec<usize> = consumed.flatten().collect();
            assert_eq!(all.len(), PRODUCERS * EACH, "capacity {capacity}");
            let distinct: BTreeSet<usize> = all.into_iter().collect();
            assert_eq!(distinct.len(), PRODUCERS * EACH, "capacity {capacity}");
        });
    }
}

/// Consumers that block until *all* of them have an item: one wake-up too few,
/// and the last of them sleeps beside its item for ever.
#[test]
fn each_item_wakes_a_consumer_of_its_own() {
    const CONSUMERS: usize = 4;

    bounded(|| {
        for _ in 0..200 {
            let queue = queue(CONSUMERS);
            let together = Arc::new(Barrier::new(CONSUMERS));
            let consumers: Vec<_> = (0..CONSUMERS)
                .map(|_| {
                    let (queue, together) = (Arc::clone(&queue), Arc::clone(&together));
                    thread::spawn(move || {
                        queue.pop().unwrap();
                        together.wait();
                    })
                })
                .collect();
            thread::sleep(Duration::from_micros(500));
            for item in 0..CONSUMERS {
                queue.push(item).unwrap();
            }
            for consumer in consumers {
                consumer.join().unwrap();
            }
        }
    });
}
