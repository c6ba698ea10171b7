//! How a pool stands still for ever: jobs that wait for jobs.
//!
//! It looks natural: "load the home page" is a job, and it submits one for the
//! profile and one for the orders. In tests it works, because a worker is free.
//! Under load every worker holds a page that waits for its halves, the halves
//! are in the queue, and nobody is left to take them:
//!
//! ```text
//!  worker 1: page A waits for A's profile ─┐
//!  worker 2: page B waits for B's profile ─┤ who waits
//!                                          ▼
//!     queue: A's profile, A's orders, B's profile, B's orders
//!                                          │ what waits
//!          for a worker, and there are two ┘ (back to the top)
//! ```
//!
//! No lock is involved, nothing is wrong in the queue, the processor is idle.

#![allow(clippy::unwrap_used)]

mod bounded;

use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Barrier, Weak};
use std::time::Duration;

use bounded::{NEVER, bounded};
use stage2_thread_pool::pool::Pool;

/// In this time the halves would have been loaded thousands of times.
const DEADLINE: Duration = Duration::from_millis(300);

/// The tempting wrong way. Each page is a job which submits its two halves to
/// the same pool and waits for them.
struct Pages {
    pool: Arc<Pool>,
    /// A half has been loaded.
    half_loaded: Receiver<()>,
    /// A page is complete.
    page_loaded: Receiver<()>,
    /// For each page, what it waits on, so that this test can end what would
    /// never end.
    halves: Vec<Sender<()>>,
}

fn load_pages_on_their_own_pool(workers: usize, pages: usize) -> Pages {
    let room = NonZeroUsize::new(2 * pages).unwrap();
    let pool = Arc::new(Pool::new(NonZeroUsize::new(workers).unwrap(), room).unwrap());
    // All pages are being loaded before the first asks for its halves.
    let under_load = Arc::new(Barrier::new(pages));
    let (half, half_loaded) = mpsc::channel();
    let (page, page_loaded) = mpsc::channel();
    let mut halves = Vec::new();
    for _ in 0..pages {
        let (one_more, answers) = mpsc::channel();
        halves.push(one_more.clone());
        // Weak, so that the pool is this test's to end.
        let (pool_again, under_load) = (Arc::downgrade(&pool), Arc::clone(&under_load));
        let (half, page) = (half.clone(), page.clone());
        pool.submit(move || {
            under_load.wait();
            for _ in ["profile", "orders"] {
                submit_half(&pool_again, half.clone(), one_more.clone());
            }
            for _ in ["profile", "orders"] {
                // No deadline of its own: here the worker stops.
                let _ = answers.recv();
            }
            let _ = page.send(());
        });
    }
    Pages {
        pool,
        half_loaded,
        page_loaded,
        halves,
    }
}

fn submit_half(pool: &Weak<Pool>, loaded: Sender<()>, answer: Sender<()>) {
    if let Some(pool) = pool.upgrade() {
        pool.submit(move || {
            let _ = loaded.send(());
            let _ = answer.send(());
        });
    }
}

#[test]
fn jobs_that_wait_for_jobs_stand_still_when_they_hold_all_workers() {
    bounded(|| {
        for workers in [1, 2, 4] {
            let Pages {
                pool,
                half_loaded,
                page_loaded,
                halves,
            } = load_pages_on_their_own_pool(workers, workers);

            let late = Err(RecvTimeoutError::Timeout);
            assert_eq!(
                half_loaded.recv_timeout(DEADLINE),
                late,
                "no half has begun"
            );
            assert_eq!(page_loaded.try_iter().count(), 0, "no page is complete");

            // Only somebody outside can break the circle: we tell the pages that
            // their halves are there. Once one page has let go of its worker,
            // the others may end by themselves, before they hear of it.
            for one_more in &halves {
                let _ = one_more.send(());
                let _ = one_more.send(());
            }
            for _ in 0..workers {
                page_loaded.recv_timeout(NEVER).expect("a page goes on");
            }
            // And now that the workers are free, the halves are loaded, too late.
            for _ in 0..2 * workers {
                half_loaded.recv_timeout(NEVER).expect("a half is loaded");
            }
            Arc::into_inner(pool).expect("no job holds it").shutdown();
        }
    });
}

/// Which is why no test saw it: one worker more, and all is well.
#[test]
fn one_worker_more_hides_it() {
    bounded(|| {
        for pages in [1, 2, 4] {
            let running = load_pages_on_their_own_pool(pages + 1, pages);
            for _ in 0..pages {
                let loaded = running.page_loaded.recv_timeout(NEVER);
                loaded.expect("a page is complete");
            }
        }
    });
}
