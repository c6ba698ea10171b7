//! A task that waits must let the others live.

use std::future::Future;
use std::io;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use ex25_stalled_worker::{Archive, fetch_patiently, keep};
use fetch_core::{FetchError, Options, Request};
use origin::{Config, Origin};
use stage5_async_await::fetch::fetch;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

type TestResult = Result<(), Box<dyn std::error::Error>>;

/// How long a busy server is left alone; long against 150 ms.
const PAUSE: Duration = Duration::from_millis(600);

#[test]
fn while_one_pauses_another_task_goes_on() -> TestResult {
    let origin = Origin::start(Config::default())?;
    // One thread that polls all tasks: the flavour on which everybody stalls.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let other = runtime.block_on(async {
        let patient = tokio::spawn(patient_fetch(&origin)?);
        let other = tokio::spawn(other_fetch(&origin)?);
        patient.await??;
        Ok::<_, Box<dyn std::error::Error>>(other.await??)
    })?;
    other_was_not_held(&origin, other);
    Ok(())
}

#[test]
fn on_two_workers_a_joined_sibling_goes_on() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    // One task: no second worker can poll a part of it.
    let (patient, other) = (patient_fetch(&origin)?, other_fetch(&origin)?);
    let task = runtime.spawn(async { tokio::join!(patient, other) });
    let (patient, other) = runtime.block_on(task)?;
    patient?;
    other_was_not_held(&origin, other?);
    Ok(())
}

#[test]
fn a_busy_server_is_left_alone_for_the_whole_pause() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let status = runtime.block_on(patient_fetch(&origin)?)?;
    assert_eq!(status, 503, "the second answer is the result");
    let journal = origin.journal();
    assert_eq!(journal.len(), 2, "asked once, and once more");
    let answered = journal[0].response_done_at.ok_or("it was answered")?;
    let left_alone = journal[1].opened.saturating_duration_since(answered);
    assert!(left_alone >= PAUSE, "asked again after {left_alone:?}");
    Ok(())
}

/// The opposite fault: to ask the clock again and again.
#[test]
fn a_pause_needs_few_polls() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut polls = 0;
    let mut patient = std::pin::pin!(patient_fetch(&origin)?);
    runtime.block_on(std::future::poll_fn(|cx| {
        polls += 1;
        patient.as_mut().poll(cx)
    }))?;
    eprintln!("two fetches and a pause: {polls} polls");
    assert!(
        polls < 100,
        "{polls} polls: something woke the task while it was to pause"
    );
    Ok(())
}

#[test]
fn a_pause_needs_no_thread() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()?;
    runtime.block_on(async {
        // The only thread for blocking calls has something to do.
        let (finish, until_finished) = channel::<()>();
        let busy = spawn_blocking(move || until_finished.recv());
        let patient = timeout(Duration::from_secs(3), patient_fetch(&origin)?).await;
        drop(finish);
        // An error: `finish` was dropped and has sent nothing. That was its end.
        let _ = busy.await?;
        patient.map_err(|_| "the pause waits for a thread, and needs none")??;
        Ok(())
    })
}

#[test]
fn while_the_archive_writes_another_task_goes_on() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (done, until_done) = channel();
    let disk = Arc::new(SlowDisk::new(until_done));
    let archive: Arc<dyn Archive> = Arc::<SlowDisk>::clone(&disk);
    runtime.block_on(async {
        let keeping = tokio::spawn(keep(Bytes::from("kept"), archive));
        let other = other_fetch(&origin)?;
        let other = tokio::spawn(async move {
            other.await?;
            Ok::<_, FetchError>(done.send(()))
        });
        keeping.await??;
        // The disk may have given up waiting for this.
        let _ = other.await??;
        Ok::<_, Box<dyn std::error::Error>>(())
    })?;
    let notes = disk.notes();
    assert!(
        notes.other_was_done,
        "the archive was at work for 2 s, and nobody else was polled in that time"
    );
    Ok(())
}

#[test]
fn whoever_has_kept_a_body_finds_it_there() -> TestResult {
    let runtime = Builder::new_current_thread().build()?;
    let (done, until_done) = channel();
    let disk = Arc::new(SlowDisk::new(until_done));
    // Somebody else is done in a while, and so is the disk.
    let somebody = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        done.send(())
    });
    let archive: Arc<dyn Archive> = Arc::<SlowDisk>::clone(&disk);
    runtime.block_on(keep(Bytes::from("kept"), archive))?;
    assert_eq!(
        disk.notes().kept,
        b"kept",
        "`keep` was done before the archive was"
    );
    somebody.join().map_err(|_| "it only sends")??;
    Ok(())
}

#[test]
fn an_error_of_the_archive_is_the_result() -> TestResult {
    struct Full;
    impl Archive for Full {
        fn write(&self, _body: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }
    let runtime = Builder::new_current_thread().build()?;
    let kept = runtime.block_on(keep(Bytes::from("kept"), Arc::new(Full)));
    let kind = kept.map_err(|error| error.kind());
    assert_eq!(
        kind,
        Err(io::ErrorKind::StorageFull),
        "the disk was full, and `keep` is to say so"
    );
    Ok(())
}

/// Asks a server that is always busy, and gives its last status.
fn patient_fetch(
    origin: &Origin,
) -> Result<impl Future<Output = Result<u16, FetchError>> + use<>, FetchError> {
    let request = Request::get(&origin.url("/status/503"))?;
    Ok(async move {
        let response = fetch_patiently(&request, PAUSE).await?;
        Ok(response.status().as_u16())
    })
}

/// Asks a server that answers after 150 ms, and says when it had the response.
fn other_fetch(
    origin: &Origin,
) -> Result<impl Future<Output = Result<Instant, FetchError>> + use<>, FetchError> {
    let request = Request::get(&origin.url("/delay/150/16"))?;
    Ok(async move {
        fetch(1, &request, &Options::default()).await?;
        Ok(Instant::now())
    })
}

/// `other` is when the other fetch had its response.
fn other_was_not_held(origin: &Origin, other: Instant) {
    let journal = origin.journal();
    let first_answer_to = |path| {
        let mut to_path = journal
            .iter()
            .filter(|seen| seen.target.as_deref() == Some(path));
        let first = to_path.next().and_then(|seen| seen.response_done_at);
        first.expect("both fetches are over, so both were answered")
    };
    let sent = first_answer_to("/delay/150/16");
    let lay = other.saturating_duration_since(sent).as_millis();
    // At the earliest.
    let pause_was_over = first_answer_to("/status/503") + PAUSE;
    assert!(
        other < pause_was_over,
        "the other's response lay there until the pause was over: {lay} ms"
    );
    eprintln!("the other's response lay there for {lay} ms");
}

/// An archive that needs as long as somebody else does, but 2 s at most.
struct SlowDisk(Mutex<Notes>);

struct Notes {
    until_done: Receiver<()>,
    other_was_done: bool,
    kept: Vec<u8>,
}

impl SlowDisk {
    fn new(until_done: Receiver<()>) -> Self {
        SlowDisk(Mutex::new(Notes {
            until_done,
            other_was_done: false,
            kept: Vec::new(),
        }))
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Archive for SlowDisk {
    fn write(&self, body: &[u8]) -> io::Result<()> {
        let mut notes = self.notes();
        let done = notes.until_done.recv_timeout(Duration::from_secs(2));
        notes.other_was_done = done.is_ok();
        notes.kept.extend_from_slice(body);
        Ok(())
    }
}
