//! The pool: threads used again, back-pressure, panics, and both ways to end.

#![allow(clippy::unwrap_used)]

mod bounded;

use std::cell::RefCell;
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Duration;

use bounded::{NEVER, bounded};
use stage2_thread_pool::pool::Pool;

/// Long enough for something wrong to happen.
const A_WHILE: Duration = Duration::from_millis(100);

fn pool(workers: usize, room: usize) -> Pool {
    let number = |number| NonZeroUsize::new(number).unwrap();
    Pool::new(number(workers), number(room)).unwrap()
}

/// Keeps a worker busy until the sender is dropped; returns once it is.
fn occupy(pool: &Pool) -> Sender<()> {
    let (free, until_free) = mpsc::channel::<()>();
    let (tell, begun) = mpsc::channel();
    pool.submit(move || {
        tell.send(()).unwrap();
        let _ = until_free.recv();
    });
    begun.recv_timeout(NEVER).unwrap();
    free
}

fn hear<T>(from: &Receiver<T>) -> T {
    from.recv_timeout(NEVER).expect("it hangs")
}

#[test]
fn a_hundred_jobs_are_done_by_the_same_four_threads() {
    bounded(|| {
        let pool = pool(4, 4);
        assert_eq!(pool.workers(), 4);
        let (tell, told) = mpsc::channel();
        // Four at a time, so that each round needs all four.
        let together = Arc::new(Barrier::new(4));
        for _ in 0..100 {
            let (tell, together) = (tell.clone(), Arc::clone(&together));
            pool.submit(move || {
                together.wait();
                tell.send(thread::current().id()).unwrap();
            });
        }
        pool.shutdown();
        drop(tell);
        let threads: Vec<_> = told.iter().collect();
        assert_eq!(threads.len(), 100);
        assert_eq!(threads.into_iter().collect::<HashSet<_>>().len(), 4);
    });
}

#[test]
fn a_full_pool_makes_the_caller_wait_or_says_so() {
    bounded(|| {
        let pool = pool(1, 1);
        let free = occupy(&pool);
        let (done, told) = mpsc::channel();
        let job = |number: u32| {
            let done = done.clone();
            move || done.send(number).unwrap()
        };
        pool.submit(job(1));

        let Err(refused) = pool.try_submit(job(2)) else {
            panic!("there was room for a second job");
        };
        thread::scope(|scope| {
            let (tell, submitted) = mpsc::channel();
            let (pool, third) = (&pool, job(3));
            scope.spawn(move || {
                pool.submit(third);
                tell.send(()).unwrap();
            });
            let waits = submitted.recv_timeout(A_WHILE);
            assert_eq!(waits, Err(mpsc::RecvTimeoutError::Timeout), "it waits");

            drop(free);
            hear(&submitted);
        });
        assert_eq!(
            [hear(&told), hear(&told)],
            [1, 3],
            "in the order of submission"
        );
        refused();
        assert_eq!(hear(&told), 2, "a refused job comes back whole");
        assert!(pool.try_submit(job(4)).is_ok());
        assert_eq!(hear(&told), 4);
    });
}

#[test]
fn a_panic_ends_the_job_and_not_the_worker() {
    bounded(|| {
        let pool = pool(1, 1);
        let (tell, told) = mpsc::channel();
        for number in 0..10 {
            let tell = tell.clone();
            pool.submit(move || {
                tell.send((number, thread::current().id())).unwrap();
                // Quietly: `panic!` would print its message ten times.
                std::panic::resume_unwind(Box::new(number));
            });
        }
        pool.shutdown();
        drop(tell);
        let (numbers, threads): (Vec<_>, HashSet<_>) = told.iter().unzip();
        assert_eq!(numbers, Vec::from_iter(0..10));
        assert_eq!(threads.len(), 1);
    });
}

#[test]
fn shutting_down_does_what_was_submitted() {
    bounded(|| {
        let pool = pool(2, 50);
        let done = Arc::new(AtomicUsize::new(0));
        let free = [occupy(&pool), occupy(&pool)];
        for _ in 0..50 {
            let done = Arc::clone(&done);
            pool.submit(move || {
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
        let shutting_down = thread::spawn(move || pool.shutdown());
        thread::sleep(A_WHILE);
        assert!(!shutting_down.is_finished(), "nothing is done yet");

        drop(free);
        shutting_down.join().unwrap();
        assert_eq!(done.load(Ordering::Relaxed), 50);
    });
}

#[test]
fn dropping_drops_what_has_not_begun_and_waits_for_what_has() {
    bounded(|| {
        let pool = pool(1, 50);
        let free = occupy(&pool);
        let (tell, told) = mpsc::channel();
        for _ in 0..50 {
            let tell = tell.clone();
            pool.submit(move || tell.send(()).unwrap());
        }
        drop(tell);
        let (dropped, ended) = mpsc::channel();
        let dropping = thread::spawn(move || {
            drop(pool);
            dropped.send(()).unwrap();
        });
        // The jobs are dropped, and with them the last senders, though the worker
        // has still not come back to the queue.
        assert_eq!(
            told.recv_timeout(NEVER),
            Err(mpsc::RecvTimeoutError::Disconnected)
        );
        assert!(ended.recv_timeout(A_WHILE).is_err(), "one job has begun");

        drop(free);
        hear(&ended);
        dropping.join().unwrap();
    });
}

thread_local! {
    /// Says so when its thread is at its end.
    static AT_THE_END: RefCell<Option<SaysWhenDropped>> = const { RefCell::new(None) };
}

struct SaysWhenDropped(Sender<()>);

impl Drop for SaysWhenDropped {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

#[test]
fn either_way_no_thread_is_left() {
    bounded(|| {
        for end in [Pool::shutdown, drop] {
            let pool = pool(8, 8);
            let (tell, told) = mpsc::channel();
            let together = Arc::new(Barrier::new(9));
            for _ in 0..8 {
                let (tell, together) = (tell.clone(), Arc::clone(&together));
                pool.submit(move || {
                    AT_THE_END.set(Some(SaysWhenDropped(tell)));
                    together.wait();
                });
            }
            together.wait();
            assert_eq!(told.try_iter().count(), 0);
            end(pool);
            assert_eq!(told.try_iter().count(), 8);
        }
    });
}

#[test]
fn a_job_may_be_the_last_owner_of_its_pool() {
    bounded(|| {
        let pool = Arc::new(pool(2, 2));
        let (tell, told) = mpsc::channel();
        let (go, gone) = mpsc::channel::<()>();
        pool.submit({
            let pool = Arc::clone(&pool);
            move || {
                let _ = gone.recv();
                drop(pool);
                tell.send(()).unwrap();
            }
        });
        drop(pool);
        drop(go);
        hear(&told);
    });
}
