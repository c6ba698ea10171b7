//! Ten thousand fetches wait at once: on one thread, in a few hundred bytes
//! each, and without an allocation per event.
//!
//! The origin server is a process of its own: this program, started once more.
//! So descriptors, threads and allocations are those of the client alone.

use std::error::Error;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use counting_alloc::{CountingAlloc, allocations, live_bytes};
use fetch_core::{FetchError, Options, Request, Response, Stage};
use origin::{Config, Origin};
use stage3_event_loop::parent::{Others, Parent};
use stage3_event_loop::{EventLoop, event_loop};

#[global_allocator]
static ALLOCATOR: CountingAlloc = CountingAlloc;

const CROWD: usize = 10_000;

/// If it is set, this process is the origin.
const ROLE: &str = "CROWD_ORIGIN";

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::var_os(ROLE).is_some() {
        return serve();
    }
    let origin = OtherProcess::start()?;
    let crowd = most_sockets()?.min(CROWD);
    if crowd < CROWD {
        println!("crowd: {crowd} fetches and not {CROWD}, for lack of descriptors (ulimit -n)");
    }
    ten_thousand_wait_on_one_thread(&origin, crowd)?;
    an_event_allocates_nothing(&origin)
}

fn ten_thousand_wait_on_one_thread(
    origin: &OtherProcess,
    crowd: usize,
) -> Result<(), Box<dyn Error>> {
    // Long enough that the last has connected before the first is answered.
    let request = Request::get(&origin.url("/delay/5000/16"))?;
    let options = Options::default();
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
    let options = Options::default();
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
        event_loop::run(options, &mut observer);
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

fn serve() -> Result<(), Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    println!("{}", origin.url(""));
    // Until the client ends, however it does.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

struct OtherProcess {
    child: Child,
    url: String,
}

impl OtherProcess {
    fn start() -> Result<Self, Box<dyn Error>> {
        let mut child = Command::new(std::env::current_exe()?)
            .env(ROLE, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let mut url = String::new();
        let output = child.stdout.take().ok_or("no output")?;
        BufReader::new(output).read_line(&mut url)?;
        url.truncate(url.trim_end().len());
        Ok(OtherProcess { child, url })
    }

    fn url(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    fn text(&self, path: &str) -> Result<String, Box<dyn Error>> {
        let request = Request::get(&self.url(path))?;
        let results = EventLoop.fetch_all(vec![request], &Options::default());
        let mut text = String::new();
        for result in results {
            text += std::str::from_utf8(result?.body())?;
        }
        Ok(text)
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        // Its input ends, and then it does.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
