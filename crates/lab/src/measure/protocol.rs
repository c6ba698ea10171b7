//! The line protocol, from the side of a process under measurement.
//!
//! ```text
//! process                          lab
//!   │  (starts, warms up)           │
//!   ├── ready ─────────────────────►│  reads the idle figures
//!   │◄───────────────────────── go ─┤
//!   │  (works)   ◄─────────── count ┤  reads the waiting figures
//!   ├── {"live_bytes": …} ─────────►│    (only of those that said `ready count`)
//!   ├── {"wall_us": …} ────────────►│  the results, one line of JSON
//!   │◄──────────────────────── exit ┤
//! ```
//!
//! Any program that speaks it can be measured beside the stages; what it cannot
//! count, it leaves out of its results. The end of its input means: exit.

use std::io::{BufRead, Write};
use std::process;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use serde_json::{Value, json};

use crate::failure::{During, Outcome};

/// The conversation with the lab.
pub(crate) struct Talk {
    lines: Receiver<String>,
}

impl Talk {
    /// Starts to listen, on a thread of its own: it must hear `count` while the
    /// work blocks all others. It was there before the idle figures are read,
    /// so it is in no difference.
    pub(crate) fn start() -> Outcome<Self> {
        let (lines, received) = channel();
        // When does it end? With the input, and the process with it. Who cancels
        // it? Nobody. Who receives its result? Nobody. How many? One.
        thread::Builder::new()
            .name("listener".to_owned())
            .stack_size(128 << 10)
            .spawn(move || listen(&lines))
            .during("starting the thread that listens to the lab")?;
        Ok(Talk { lines: received })
    }

    /// Everything is set up. Returns when the work shall begin.
    pub(crate) fn ready(&self) {
        say("ready count");
        self.wait();
    }

    /// The results. Returns when the process may exit.
    pub(crate) fn results(&self, results: &Value) {
        say(&results.to_string());
        self.wait();
    }

    /// The next line from the lab, for processes with a protocol of their own.
    pub(crate) fn line(&self) -> Option<String> {
        self.lines.recv().ok()
    }

    fn wait(&self) {
        if self.line().is_none() {
            process::exit(0);
        }
    }
}

fn listen(lines: &Sender<String>) {
    for line in std::io::stdin().lock().lines() {
        match line.as_deref() {
            Ok("count") => say(&counted().to_string()),
            Ok(line) if lines.send(line.to_owned()).is_ok() => {}
            _ => break,
        }
    }
    // Whoever measured is gone: so that a lab that was interrupted leaves no
    // process behind.
    process::exit(0);
}

/// What the allocator of this process counts.
pub(crate) fn counted() -> Value {
    json!({
        "live_bytes": counting_alloc::live_bytes(),
        "live_blocks": counting_alloc::live_blocks(),
        "allocations": counting_alloc::allocations(),
    })
}

/// One line, at once. If nobody reads it any more, the input ends as well.
pub(crate) fn say(line: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = writeln!(stdout, "{line}");
    let _ = stdout.flush();
}
