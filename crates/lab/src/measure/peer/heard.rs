//! What a process under measurement says, heard on threads of their own: lest it
//! block on a pipe that nobody reads, and with a bound on what is kept.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How many lines a process may be ahead of the lab, and how many bytes a line may
/// have: one that only talks shall not fill the memory. The longest that there is
/// are the results of an hour of `in-flight`.
const LINES: usize = 1000;
const LONGEST: u64 = 64 << 20;
/// How much of what a process says on standard error is kept: the end of it.
const LAST_WORDS: usize = 2000;
/// How long the last words of a process that has ended may take to arrive.
const ECHO: Duration = Duration::from_secs(1);

/// The lines of a process's standard output, as they come.
pub(super) fn lines_of(stdout: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = sync_channel(LINES);
    // It ends with the pipe, or when nobody takes the lines any more; nobody
    // cancels it; it has no result; there is one for a process.
    thread::spawn(move || hand_on(stdout, &sender));
    lines
}

/// What a process says, line by line. A line that is too long comes in parts.
fn hand_on(stdout: impl Read, lines: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    let mut line = Vec::new();
    while let Ok(1..) = stdout.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
        let text = String::from_utf8_lossy(&line);
        if lines.send(text.trim_end().to_owned()).is_err() {
            return;
        }
        line.clear();
    }
}

/// What a process says on standard error, and the thread that hears it.
#[derive(Debug)]
pub(super) struct Complaints {
    kept: Arc<Mutex<VecDeque<u8>>>,
    thread: JoinHandle<()>,
}

impl Complaints {
    pub(super) fn hear(mut stderr: impl Read + Send + 'static) -> Self {
        let kept = Arc::<Mutex<VecDeque<u8>>>::default();
        let keeps = Arc::clone(&kept);
        // It ends with the pipe; nobody cancels it; `last_words` takes what it has
        // kept; there is one for a process.
        let thread = thread::spawn(move || {
            let mut buffer = [0; 1024];
            while let Ok(read @ 1..) = stderr.read(&mut buffer) {
                let mut kept = lock(&keeps);
                kept.extend(&buffer[..read]);
                let surplus = kept.len().saturating_sub(LAST_WORDS);
                kept.drain(..surplus);
            }
        });
        Complaints { kept, thread }
    }

    /// What was said until now. The end comes with the process's, unless it has
    /// started another one that holds on to the pipe: that one is not waited for.
    pub(super) fn last_words(self) -> String {
        let end = Instant::now() + ECHO;
        while !self.thread.is_finished() && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
        let kept = std::mem::take(&mut *lock(&self.kept));
        String::from_utf8_lossy(&Vec::from(kept)).into_owned()
    }
}

fn lock(kept: &Mutex<VecDeque<u8>>) -> MutexGuard<'_, VecDeque<u8>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}
