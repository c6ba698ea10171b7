//! What a panic costs: the job, and nothing else.

use std::collections::HashSet;
use std::io;
use std::num::NonZeroUsize;
use std::panic;
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ex05_panicking_job::{Pool, first_bytes};
use fetch_core::Request;
use origin::{Config, Origin};

/// What has not come by then never will.
const NEVER: Duration = Duration::from_secs(2);

#[test]
fn the_jobs_after_a_panic_are_done() -> io::Result<()> {
    let pool = pool(1, 5)?;
    pool.submit(panics::<()>);
    let (tell, told) = mpsc::channel();
    for number in 0..4 {
        let tell = tell.clone();
        pool.submit(move || {
            let _ = tell.send(number);
        });
    }
    drop(tell);
    pool.shutdown();
    let done = told.iter().count();
    assert_eq!(
        done, 4,
        "a job panicked, and {done} of the 4 after it were done"
    );
    Ok(())
}

#[test]
fn four_workers_stay_four_workers() -> io::Result<()> {
    let pool = pool(4, 12)?;
    for _ in 0..8 {
        pool.submit(panics::<()>);
    }
    // Four jobs that keep their workers until the test lets go.
    let (tell, told) = mpsc::channel();
    let (let_go, kept) = mpsc::channel::<()>();
    let kept = Arc::new(Mutex::new(kept));
    for _ in 0..4 {
        let (tell, kept) = (tell.clone(), Arc::clone(&kept));
        pool.submit(move || {
            let _ = tell.send(());
            let _ = kept.lock().map(|kept| kept.recv());
        });
    }
    let at_work = (0..4).map_while(|_| told.recv_timeout(NEVER).ok()).count();
    drop(let_go);
    assert_eq!(
        at_work, 4,
        "8 jobs panicked, and {at_work} of 4 workers are left"
    );
    pool.shutdown();
    Ok(())
}

/// A thread for each job would lose nothing by a panic, either. But then it is
/// no pool.
#[test]
fn no_thread_is_started_for_a_job() -> io::Result<()> {
    let pool = pool(2, 20)?;
    let (tell, told) = mpsc::channel();
    for number in 0..20 {
        let tell = tell.clone();
        pool.submit(move || {
            let _ = tell.send(thread::current().id());
            if number % 2 == 0 {
                panics::<()>();
            }
        });
    }
    drop(tell);
    pool.shutdown();
    let threads: HashSet<_> = told.iter().collect();
    let number = threads.len();
    assert!(
        number <= 2,
        "a pool of 2 used {number} threads: after a panic the same thread is to go on"
    );
    Ok(())
}

#[test]
fn who_waits_for_the_result_hears_of_it() -> io::Result<()> {
    let pool = pool(1, 1)?;
    let (tell, told) = mpsc::channel::<u32>();
    pool.submit(move || {
        let result = panics();
        let _ = tell.send(result);
    });
    let heard = told.recv_timeout(NEVER);
    eprintln!("who waits for the result of a job that panics gets {heard:?}");
    assert_eq!(
        heard,
        Err(mpsc::RecvTimeoutError::Disconnected),
        "the job is over, and what it owned is still there"
    );
    Ok(())
}

#[test]
fn a_lock_that_was_held_is_poisoned() -> io::Result<()> {
    let pool = pool(1, 2)?;
    let balance = Arc::new(Mutex::new(100));
    let again = Arc::clone(&balance);
    pool.submit(move || {
        let mut balance = balance.lock().expect("nobody has panicked yet");
        *balance -= 10;
        panics::<()>();
        *balance += 10;
    });
    let (tell, told) = mpsc::channel();
    pool.submit(move || {
        let _ = tell.send(again.lock().is_err());
    });
    pool.shutdown();
    let poisoned = told.recv().expect("the job after it was never done");
    assert!(poisoned, "a balance that lost 10 for nothing looks sound");
    eprintln!("the next job that asks for the lock: poisoned is {poisoned}");
    Ok(())
}

#[test]
fn the_pages_after_an_empty_one_are_read() -> Result<(), Box<dyn std::error::Error>> {
    let origin = Origin::start(Config::default())?;
    let page = |length| Request::get(&origin.url(&format!("/bytes/{length}")));
    let lengths = [0, 0, 3, 3, 0, 3, 3, 3];
    let requests = lengths.map(page).into_iter().collect::<Result<_, _>>()?;
    let bytes = first_bytes(requests, number(2))?;
    let expected = lengths.map(|length| (length > 0).then_some(b'a'));
    assert_eq!(bytes, expected, "only an empty page has no first byte");
    Ok(())
}

/// Quietly: `panic!` would print its message.
fn panics<T>() -> T {
    panic::resume_unwind(Box::new("as planned"))
}

fn pool(workers: usize, room: usize) -> io::Result<Pool> {
    Pool::new(number(workers), number(room))
}

fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN)
}
