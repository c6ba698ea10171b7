//! Ten thousand fetches wait at once: on one thread, in a few hundred bytes
//! each, and without an allocation per event.
//!
//! The origin server is a process of its own: this program, started once more.
//! So descriptors, threads and allocations are those of the client alone.

mod other_process;

use std::error::Error;
use std::num::NonZeroUsize;

use counting_alloc::{CountingAlloc, allocations, live_bytes};
use fetch_core::{ErrorKind, FetchError, Options, Request, Response, Stage};
use stage3_event_loop::parent::{Others, Parent};

use other_process::OtherProcess;
use stage3_event_loop::{EventLoop, event_loop};

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

const CROWD: usize = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    if other_process::is_origin() {
        return other_process::serve();
    }
    let origin = OtherProcess::start()?;
    let crowd = most_sockets()?.min(CROWD);
    if crowd < CROWD {
        println!("crowd: {crowd} fetches and not {CROWD}, for lack of descriptors (ulimit -n)");
    }
    ten_thousand_wait_on_one_thread(&origin, crowd)?;
    an_event_allocates_nothing(&origin)?;
    #[cfg(target_os = "linux")]
    without_descriptors_a_fetch_fails_alone(&origin)?;
    Ok(())
}

fn ten_thousand_wait_on_one_thread(
    origin: &OtherProcess,
    crowd: usize,
) -> Result<(), Box<dyn Error>> {
    // Long enough that the last has connected before the first is answered.
    let request = Request::get(&origin.url("/delay/5000/16"))?;
    let options = all_at_once();
    let observer = Observer::watch(&request, &options, crowd);
    let waiting = observer.at_first_end.unwrap_or_default();
    assert_eq!(observer.succeeded, crowd, "{:?}", observer.error);
    assert_eq!(origin.text("/journal/peak")?, format!("{crowd}\n"));
    if let Some(threads) = waiting.threads {
        assert_eq!(threads, 1);
    }

    let bytes = waiting.heap_bytes / crowd;
    println!(
        "crowd: {crowd} fetches wait, on {:?} thread",
        waiting.threads
    );
    println!("crowd: a waiting fetch holds {bytes} bytes of heap");
    assert!(bytes < 1024);
    assert_eq!(observer.heap_left, 0, "bytes of heap");
    Ok(())
}

fn an_event_allocates_nothing(origin: &OtherProcess) -> Result<(), Box<dyn Error>> {
    let options = all_at_once();
    let few = Request::get(&origin.url("/drip/20/1"))?;
    let many = Request::get(&origin.url("/drip/1020/1"))?;
    let few = Observer::watch(&few, &options, 1);
    let many = Observer::watch(&many, &options, 1);
    assert_eq!((few.succeeded, many.succeeded), (1, 1));
    let more = many.allocations.saturating_sub(few.allocations);
    println!("crowd: a thousand further events made {more} allocations");
    // The body grows with them, doubling each time.
    assert!(more <= 10);
    Ok(())
}

#[cfg(target_os = "linux")]
fn without_descriptors_a_fetch_fails_alone(origin: &OtherProcess) -> Result<(), Box<dyn Error>> {
    use rlimit::Resource;

    let url = origin.url("/delay/300/1");
    let options = all_at_once();
    let (soft, hard) = Resource::NOFILE.get()?;
    let open_before = descriptors()?;
    let fetch_with = |limit: u64| -> Result<Vec<_>, Box<dyn Error>> {
        let requests = vec![Request::get(&url)?; 20];
        Resource::NOFILE.set(limit, hard)?;
        let results = EventLoop.fetch_all(requests, &options);
        Resource::NOFILE.set(soft, hard)?;
        let kinds = results.into_iter().map(|r| r.err().map(|e| e.kind()));
        Ok(kinds.collect())
    };
    let resources = Some(ErrorKind::Resources);
    // Enough for the reactor and for some sockets. How many depends on the
    // numbers that are free below the limit.
    let kinds = fetch_with(open_before + 10)?;
    let succeeded = kinds.iter().filter(|kind| kind.is_none()).count();
    assert!((5..15).contains(&succeeded), "{kinds:?}");
    assert!(
        kinds
            .iter()
            .all(|kind| kind.is_none() || *kind == resources)
    );
    // None for the reactor: 0 to 2 are taken.
    assert_eq!(fetch_with(3)?, [resources; 20]);
    assert_eq!(descriptors()?, open_before);
    println!("crowd: without descriptors, fetches fail one by one");
    Ok(())
}

/// The open descriptors of this process, the one for counting not among them.
#[cfg(target_os = "linux")]
fn descriptors() -> Result<u64, Box<dyn Error>> {
    let open = std::fs::read_dir("/proc/self/fd")?.count();
    Ok(u64::try_from(open)? - 1)
}

/// A parent that looks around when the first of its children ends: by then all
/// of them have begun, and the others wait.
struct Observer<'a> {
    request: &'a Request,
    begun: usize,
    ended: usize,
    crowd: usize,
    heap_before: usize,
    at_first_end: Option<Moment>,
    succeeded: usize,
    error: Option<FetchError>,
    /// From the beginning to the end.
    allocations: usize,
    heap_left: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Moment {
    heap_bytes: usize,
    threads: Option<usize>,
}

fn all_at_once() -> Options {
    Options {
        max_in_flight: NonZeroUsize::MAX,
        ..Options::default()
    }
}

impl<'a> Observer<'a> {
    fn watch(request: &'a Request, options: &'a Options, crowd: usize) -> Self {
        let mut observer = Observer {
            request,
            begun: 0,
            ended: 0,
            crowd,
            heap_before: 0,
            at_first_end: None,
            succeeded: 0,
            error: None,
            allocations: 0,
            heap_left: 0,
        };
        let allocations_before = allocations();
        observer.heap_before = live_bytes();
        event_loop::run(options, crowd, &mut observer);
        observer.heap_left = live_bytes() - observer.heap_before;
        observer.allocations = allocations() - allocations_before;
        observer
    }
}

impl<'a> Parent<'a> for Observer<'a> {
    fn next_child(&mut self) -> Option<(usize, &'a Request)> {
        let id = self.begun;
        (id < self.crowd).then(|| {
            self.begun += 1;
            (id, self.request)
        })
    }

    fn child_finished(&mut self, _: usize, result: Result<Response, FetchError>) -> Others {
        if self.at_first_end.is_none() {
            self.at_first_end = Some(Moment {
                heap_bytes: live_bytes() - self.heap_before,
                threads: threads(),
            });
        }
        self.ended += 1;
        match result {
            Ok(_) => self.succeeded += 1,
            Err(error) => self.error = Some(error),
        }
        Others::GoOn
    }

    fn is_over(&self) -> bool {
        self.ended == self.crowd
    }
}

/// How many sockets this process may open, with some descriptors kept for the
/// rest.
fn most_sockets() -> Result<usize, Box<dyn Error>> {
    let descriptors = rlimit::increase_nofile_limit(u64::MAX)?;
    Ok(usize::try_from(descriptors.saturating_sub(50)).unwrap_or(usize::MAX))
}

/// The threads of this process, where that can be read.
fn threads() -> Option<usize> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    Some(tasks.count())
}
