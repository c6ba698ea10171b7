//! A queue with a limit, and what becomes of those who meet it.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use ex04_bounded_queue::{Queue, crawl};
use fetch_core::Request;
use origin::{Config, Origin};

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Long enough for something wrong to happen, and for others to fall asleep.
const A_WHILE: Duration = Duration::from_millis(150);

/// What has not come by then never will.
const NEVER: Duration = Duration::from_secs(3);

#[test]
fn a_full_queue_makes_the_producer_wait() {
    let queue = Arc::new(Queue::new(number(2)));
    let pushed = pushing(&queue, vec![1, 2, 3]);
    for _ in [1, 2] {
        let pushed = hear(&pushed, "there is room for 2, and a push waits");
        assert_eq!(pushed, Ok(()));
    }
    assert!(
        pushed.recv_timeout(A_WHILE).is_err(),
        "there is room for 2, and the third push did not wait"
    );
    assert_eq!(queue.pop(), Some(1));
    let third = hear(&pushed, "a place is free, and the producer sleeps on");
    assert_eq!(third, Ok(()));
    assert_eq!([queue.pop(), queue.pop()], [Some(2), Some(3)]);
}

#[test]
fn each_free_place_wakes_a_producer_of_its_own() {
    for _ in 0..20 {
        let queue = Arc::new(Queue::new(number(2)));
        let _ = (queue.push(1), queue.push(2));
        let producers = [pushing(&queue, vec![3]), pushing(&queue, vec![4])];
        // Both fall asleep, if they are to.
        thread::sleep(Duration::from_millis(5));
        let _ = (queue.pop(), queue.pop());
        for pushed in producers {
            let pushed = hear(&pushed, "two places are free, and a producer sleeps on");
            assert_eq!(pushed, Ok(()));
        }
    }
}

#[test]
fn closing_wakes_all_producers_that_wait() {
    let queue = Arc::new(Queue::new(number(1)));
    let _ = queue.push(0);
    let producers = [1, 2, 3].map(|item| pushing(&queue, vec![item]));
    thread::sleep(A_WHILE);
    queue.close();
    let told = "the queue is closed, and a producer sleeps on";
    let refused = producers.map(|pushed| hear(&pushed, told));
    assert_eq!(
        refused,
        [Err(1), Err(2), Err(3)],
        "three pushes had no room until the queue was closed: what they could not put in is to \
         come back"
    );
}

#[test]
fn what_is_in_a_closed_queue_comes_out() {
    let queue = Queue::new(number(2));
    let _ = (queue.push(1), queue.push(2));
    queue.close();
    assert_eq!(queue.push(3), Err(3), "it takes nothing in");
    assert_eq!([queue.pop(), queue.pop()], [Some(1), Some(2)]);
    assert_eq!([queue.pop(), queue.pop()], [None, None]);
}

/// A wake-up that is lost leaves somebody asleep with work to do, and this
/// hangs. With little room both sides sleep most of the time.
#[test]
fn under_contention_nothing_is_lost_and_the_limit_holds() {
    const EACH: usize = 200;
    const PRODUCERS: usize = 4;

    for room in [1, 3] {
        let queue = Queue::new(number(room));
        let items: Vec<usize> = thread::scope(|scope| {
            let queue = &queue;
            let consumers = [(); 4].map(|()| {
                scope.spawn(|| std::iter::from_fn(|| queue.pop()).collect::<Vec<usize>>())
            });
            let producers = [0, 1, 2, 3].map(|producer| {
                scope.spawn(move || {
                    for item in 0..EACH {
                        let _ = queue.push(producer * EACH + item);
                    }
                })
            });
            let _ = producers.map(thread::ScopedJoinHandle::join);
            queue.close();
            let items = consumers.map(|consumer| consumer.join().unwrap_or_default());
            items.into_iter().flatten().collect()
        });
        let most = queue.most();
        assert!(
            most <= room,
            "more items than there was room for: {most}, and not {room}"
        );
        assert_eq!(items.len(), PRODUCERS * EACH, "items were lost");
        let distinct: BTreeSet<usize> = items.into_iter().collect();
        assert_eq!(distinct.len(), PRODUCERS * EACH, "items came twice");
    }
}

#[test]
fn a_crawl_holds_few_requests() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let request = Request::get(&origin.url("/delay/10/1"))?;
    let requests = std::iter::repeat_n(request, 100);
    let started = Instant::now();
    let crawled = crawl(requests, 4, number(4));
    let (took, most) = (started.elapsed().as_millis(), crawled.most_queued);
    assert_eq!(crawled.responses, 100, "there were 100 requests");
    assert!(
        most <= 4,
        "{most} requests lay in a queue that has room for 4, and it took {took} ms"
    );
    eprintln!("100 fetches of 10 ms on 4 workers: at most {most} in the queue, {took} ms");
    Ok(())
}

/// The opposite fault: to look again and again whether there is room now.
#[test]
fn a_producer_that_waits_does_nothing() {
    let queue = Queue::new(number(1));
    let _ = queue.push(0);
    let (before, after) = thread::scope(|scope| {
        let producer = scope.spawn(|| {
            let before = effort();
            let _ = queue.push(1);
            (before, effort())
        });
        thread::sleep(Duration::from_millis(300));
        let _ = queue.pop();
        producer.join().unwrap_or_default()
    });
    let (Some(before), Some(after)) = (before, after) else {
        eprintln!("this system does not say what a thread has done");
        return;
    };
    let (processor, times) = (after.0 - before.0, after.1 - before.1);
    eprintln!("300 ms of waiting: {times} times on a processor, {processor:?} in all");
    assert!(
        processor < Duration::from_millis(50) && times < 50,
        "a producer that waited for 300 ms was {times} times on a processor, {processor:?} in all: \
         it looks, and does not sleep"
    );
}

/// How long the calling thread has been on a processor, and how many times.
fn effort() -> Option<(Duration, u64)> {
    // See proc_pid_schedstat in Linux's documentation: time on the processor
    // and time of waiting for it, in nanoseconds, and the number of turns.
    let said = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let mut numbers = said.split_whitespace().map(str::parse::<u64>);
    let (nanoseconds, _, turns) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some((Duration::from_nanos(nanoseconds.ok()?), turns.ok()?))
}

/// A thread that pushes `items`, and what its pushes gave. Nobody joins it: if
/// it sleeps for ever, the test is to say so, and not to do the same.
fn pushing(queue: &Arc<Queue<u32>>, items: Vec<u32>) -> Receiver<Result<(), u32>> {
    let (tell, pushed) = mpsc::channel();
    let queue = Arc::clone(queue);
    thread::spawn(move || {
        for item in items {
            let _ = tell.send(queue.push(item));
        }
    });
    pushed
}

fn hear<T>(from: &Receiver<T>, otherwise: &str) -> T {
    from.recv_timeout(NEVER).expect(otherwise)
}

fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN)
}
