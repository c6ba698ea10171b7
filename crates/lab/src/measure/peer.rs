//! The line protocol, from the lab's side. See `protocol`.

mod heard;

use std::io::Write;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::failure::{During, Failure, Outcome};
use crate::measure::asleep::{self, Asleep};
use crate::measure::counters::Counters;
use crate::measure::parameters::Parameters;

use self::heard::{Complaints, lines_of};

/// How long a process may take to get ready, to count, and to exit.
const PATIENCE: Duration = Duration::from_secs(30);

/// A process under measurement. Dropping it kills it.
#[derive(Debug)]
pub(crate) struct Peer {
    name: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    complaints: Option<Complaints>,
    counts: bool,
    /// What it had to say while it was asked to count: its results.
    early: Option<Value>,
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
            return Err(peer.failure(&format!("said {} and not `ready`", quoted(&line))));
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
        let stdout = child.stdout.take().during("its standard output")?;
        Ok(Peer {
            name: name.to_owned(),
            stdin: child.stdin.take(),
            complaints: child.stderr.take().map(Complaints::hear),
            child,
            lines: lines_of(stdout),
            counts: false,
            early: None,
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
    ///
    /// Nobody keeps it from being done just then. Its results come first in that
    /// case, and are kept for [`results`](Self::results).
    pub(crate) fn count(&mut self) -> Outcome<Option<Counted>> {
        if !self.counts {
            return Ok(None);
        }
        self.tell("count")?;
        let mut said = self.json(PATIENCE)?;
        if said["live_bytes"].is_null() && self.early.is_none() {
            self.early = Some(said);
            said = self.json(PATIENCE)?;
        }
        let number = |name: &str| said[name].as_f64().during(name).during(&self.name);
        Ok(Some(Counted {
            live_bytes: number("live_bytes")?,
            live_blocks: number("live_blocks")?,
        }))
    }

    /// What the operating system counts for it.
    pub(crate) fn counters(&self) -> Counters {
        Counters::of(self.child.id())
    }

    /// Where its threads are.
    pub(crate) fn asleep(&self) -> Option<Asleep> {
        asleep::of(self.child.id())
    }

    /// The next line, as JSON.
    pub(crate) fn json(&mut self, limit: Duration) -> Outcome<Value> {
        let line = self.line(limit)?;
        serde_json::from_str(&line).map_err(|error| {
            let line = quoted(&line);
            self.failure(&format!("said {line}, which is no JSON ({error})"))
        })
    }

    /// Takes the results and lets the process exit.
    pub(crate) fn results(mut self, limit: Duration) -> Outcome<Value> {
        let results = match self.early.take() {
            Some(results) => results,
            None => self.json(limit)?,
        };
        // One that has ended by itself need not be told.
        if let Some(stdin) = &mut self.stdin {
            let _ = writeln!(stdin, "exit");
        }
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
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
        let complaints = self.complaints.take();
        complaints.map(Complaints::last_words).unwrap_or_default()
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

/// A line for a message: its beginning.
fn quoted(line: &str) -> String {
    match line.char_indices().nth(100) {
        Some((end, _)) => format!("{:?} …", &line[..end]),
        None => format!("{line:?}"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_process_that_leaves_another_behind_is_not_waited_for() {
        let began = Instant::now();
        let script = "sleep 20 > /dev/null & echo oops >&2; exit 1";
        let failure = Peer::start("broken", shell(script)).expect_err("it is not ready");
        assert!(failure.to_string().contains("oops"), "{failure}");
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn a_process_may_end_before_it_is_told_to() {
        let script = "echo ready; read go; exec 0<&-; echo '{}'";
        let peer = Peer::start("hasty", shell(script)).expect("it is ready");
        let results = peer.run(Duration::from_secs(10)).expect("its results");
        assert_eq!(results, serde_json::json!({}));
    }

    #[test]
    fn a_process_may_be_done_when_it_is_asked_to_count() {
        let counted = "echo '{\"live_bytes\": 1, \"live_blocks\": 2}'";
        let script = format!("echo ready count; read go; echo '{{}}'; read count; {counted}");
        let mut peer = Peer::start("quick", shell(&script)).expect("it is ready");
        peer.go().expect("it listens");
        let counted = peer.count().expect("a line").expect("it counts");
        assert_eq!((counted.live_bytes, counted.live_blocks), (1.0, 2.0));
        let results = peer.results(PATIENCE).expect("its results");
        assert_eq!(results, serde_json::json!({}));
    }

    #[test]
    fn a_process_that_only_talks_is_cut_short() {
        for script in ["cat /dev/zero", "echo ready; while :; do echo x; done"] {
            let peer = Peer::start("chatty", shell(script));
            let failure = peer
                .and_then(|peer| peer.run(PATIENCE))
                .expect_err("no results");
            let failure = failure.to_string();
            assert!(failure.contains("chatty said"), "{failure}");
            assert!(failure.len() < 1000, "{} bytes", failure.len());
        }
    }

    #[test]
    fn a_line_that_is_no_text_is_told_of() {
        let script = "printf 'r\\377ady\\n'; read go";
        let failure = Peer::start("garbled", shell(script)).expect_err("it is not ready");
        assert!(failure.to_string().contains("and not `ready`"), "{failure}");
    }
}
