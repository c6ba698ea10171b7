//! The line protocol, from the lab's side. See `protocol`.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::failure::{During, Failure, Outcome};
use crate::measure::counters::Counters;
use crate::measure::parameters::Parameters;

/// How long a process may take to get ready, to count, and to exit.
const PATIENCE: Duration = Duration::from_secs(30);
/// How much of what a process says on standard error is kept: the end of it.
const LAST_WORDS: usize = 2000;

/// A process under measurement. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Peer {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<JoinHandle<String>>,
    counts: bool,
}

/// What a process's allocator has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Counted {
    pub(crate) live_bytes: f64,
    pub(crate) live_blocks: f64,
}

/// The lab itself, as another process. `role` and `name` say as which.
pub(crate) fn myself(role: &str, name: &str, parameters: &Parameters) -> Outcome<Command> {
    let program = std::env::current_exe().during("finding the lab's own program")?;
    let mut command = Command::new(program);
    command.arg(role).arg(name).args(parameters.words());
    Ok(command)
}

impl Peer {
    /// Starts the process and waits until it is ready.
    pub(crate) fn start(name: &str, command: Command) -> Outcome<Self> {
        let mut peer = Peer::spawn(name, command)?;
        let line = peer.line(PATIENCE)?;
        let mut words = line.split_whitespace();
        if words.next() != Some("ready") {
            return Err(peer.failure(&format!("said {line:?} and not `ready`")));
        }
        peer.counts = words.any(|word| word == "count");
        Ok(peer)
    }

    /// Starts a process that does not say `ready`.
    pub(crate) fn spawn(name: &str, mut command: Command) -> Outcome<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .during(&format!("starting {name}"))?;
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            thread::spawn(move || {
                let read = BufReader::new(stdout).lines().map_while(Result::ok);
                let _ = read.map(|line| sender.send(line)).all(|sent| sent.is_ok());
            });
        }
        let complaints = child
            .stderr
            .take()
            .map(|stderr| thread::spawn(move || last_of(stderr)));
        Ok(Peer {
            name: name.to_owned(),
            stdin: child.stdin.take(),
            child,
            lines,
            complaints,
            counts: false,
        })
    }

    pub(crate) fn go(&mut self) -> Outcome<()> {
        self.tell("go")
    }

    /// One line to the process.
    pub(crate) fn tell(&mut self, line: &str) -> Outcome<()> {
        let written = match &mut self.stdin {
            Some(stdin) => writeln!(stdin, "{line}").and_then(|()| stdin.flush()),
            None => return Ok(()),
        };
        written.map_err(|error| self.failure(&format!("does not listen ({error})")))
    }

    /// What its allocator has counted so far; none if it has no such allocator.
    pub(crate) fn count(&mut self) -> Outcome<Option<Counted>> {
        if !self.counts {
            return Ok(None);
        }
        self.tell("count")?;
        let counted = self.json(PATIENCE)?;
        let number = |name: &str| counted[name].as_f64().during(name);
        Ok(Some(Counted {
            live_bytes: number("live_bytes")?,
            live_blocks: number("live_blocks")?,
        }))
    }

    /// What the operating system counts for it.
    pub(crate) fn counters(&self) -> Counters {
        Counters::of(self.child.id())
    }

    /// The next line, as JSON.
    pub(crate) fn json(&mut self, limit: Duration) -> Outcome<Value> {
        let line = self.line(limit)?;
        serde_json::from_str(&line)
            .map_err(|error| self.failure(&format!("said {line:?}, which is no JSON ({error})")))
    }

    /// Takes the results and lets the process exit.
    pub(crate) fn results(mut self, limit: Duration) -> Outcome<Value> {
        let results = self.json(limit)?;
        self.tell("exit")?;
        self.ended(PATIENCE)?;
        Ok(results)
    }

    /// `go`, and then the results.
    pub(crate) fn run(mut self, limit: Duration) -> Outcome<Value> {
        self.go()?;
        self.results(limit)
    }

    pub(crate) fn line(&mut self, limit: Duration) -> Outcome<String> {
        match self.lines.recv_timeout(limit) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => {
                Err(self.failure(&format!("said nothing for {} s", limit.as_secs())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.failure("ended early")),
        }
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self, limit: Duration) -> Outcome<ExitStatus> {
        self.stdin = None;
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(2));
        }
        Err(self.failure(&format!("does not exit within {} s", limit.as_secs())))
    }

    /// The end of what it wrote to standard error. Ends the process.
    pub(crate) fn last_words(&mut self) -> String {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let words = self.complaints.take().map(JoinHandle::join);
        words.and_then(Result::ok).unwrap_or_default()
    }

    fn failure(&mut self, what: &str) -> Failure {
        let words = self.last_words();
        let words = words.trim();
        let said = if words.is_empty() {
            String::new()
        } else {
            format!("; its last words: {words}")
        };
        Failure::new(format!("{} {what}{said}", self.name))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn last_of(mut from: impl Read) -> String {
    let mut kept = VecDeque::new();
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        kept.extend(&buffer[..read]);
        let surplus = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..surplus);
    }
    String::from_utf8_lossy(&Vec::from(kept)).into_owned()
}
