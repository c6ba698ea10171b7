//! System calls per fetch, counted by strace.
//!
//! A process is run twice, with few fetches and with more; the difference
//! belongs to the fetches, and start-up and warm-up are in neither.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, process};

use crate::failure::{During, Outcome};

/// Calls that start and end a thread, or give it its stack.
const OF_THREADS: [&str; 14] = [
    "clone",
    "clone3",
    "exit",
    "gettid",
    "madvise",
    "mmap",
    "mprotect",
    "munmap",
    "prctl",
    "rseq",
    "rt_sigprocmask",
    "sched_getaffinity",
    "set_robust_list",
    "sigaltstack",
];

/// Threads as well, counts only, and of each call those two columns, into a file.
const FLAGS: [&str; 5] = ["-f", "-c", "-U", "calls,name", "-o"];

/// How often each system call was made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calls(BTreeMap<String, f64>);

/// Why there is no strace here; none if there is.
pub(crate) fn missing() -> Option<&'static str> {
    // As `counted` calls it: an older one does not know `-U`.
    let probe = Command::new("strace")
        .args(FLAGS)
        .args(["/dev/null", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match probe {
        Err(_) => Some("strace is not installed"),
        Ok(status) if !status.success() => Some("strace is old, or may not trace here"),
        Ok(_) => None,
    }
}

/// `command` under strace, and where strace will write its table.
pub(crate) fn counted(command: &Command) -> (Command, PathBuf) {
    let table = std::env::temp_dir().join(format!("lab-strace-{}", process::id()));
    let mut strace = Command::new("strace");
    strace.args(FLAGS).arg(&table);
    strace.arg(command.get_program()).args(command.get_args());
    (strace, table)
}

impl Calls {
    /// Reads the table, and deletes it.
    pub(crate) fn take(table: &Path) -> Outcome<Self> {
        let text = fs::read_to_string(table).during("reading strace's table")?;
        let _ = fs::remove_file(table);
        Ok(Calls::parse(&text))
    }

    fn parse(text: &str) -> Self {
        let row = |line: &str| {
            let mut words = line.split_whitespace();
            let calls = words.next()?.parse().ok()?;
            let name = words.next().filter(|name| *name != "total")?;
            // If a thread ends while strace reads its registers, `13953 ???(` stands
            // in the table, and that number is the thread's.
            let is_call = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            is_call.then(|| (name.to_owned(), calls))
        };
        Calls(text.lines().filter_map(row).collect())
    }

    /// What was called more often here than in `fewer`, for each of `fetches`.
    pub(crate) fn per_fetch(&self, fewer: &Calls, fetches: f64) -> Self {
        let each = self.0.iter().map(|(name, calls)| {
            let before = fewer.0.get(name).copied().unwrap_or_default();
            (name.clone(), (calls - before) / fetches)
        });
        Calls(each.collect())
    }

    pub(crate) fn total(&self) -> f64 {
        self.0.values().sum()
    }

    /// Those that start and end threads; none, if the larger run happened to make
    /// fewer of them.
    pub(crate) fn of_threads(&self) -> f64 {
        let of_threads = |(name, calls)| OF_THREADS.contains(&name).then_some(calls);
        let pairs = self.0.iter().map(|(name, calls)| (name.as_str(), *calls));
        pairs.filter_map(of_threads).sum::<f64>().max(0.0)
    }

    /// In words: the most frequent ones.
    pub(crate) fn describe(&self) -> String {
        let mut calls: Vec<_> = self.0.iter().filter(|(_, calls)| **calls >= 0.05).collect();
        calls.sort_by(|a, b| b.1.total_cmp(a.1));
        let words = calls
            .iter()
            .map(|(name, calls)| format!("{name} {calls:.1}"));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_belongs_to_the_fetches() {
        let few = Calls::parse("calls syscall\n--- ---\n 10 read\n 5 mmap\n 15 total\n");
        let many = Calls::parse(" 30 read\n 5 mmap\n 20 clone3\n 55 total\n");
        let each = many.per_fetch(&few, 10.0);
        assert_eq!((each.total(), each.of_threads()), (4.0, 2.0));
        assert_eq!(each.describe(), "clone3 2.0, read 2.0");
    }

    #[test]
    fn a_thread_that_strace_has_lost_is_no_call() {
        let calls = Calls::parse("13953 ???(\ncalls syscall\n--- ---\n 10 read\n 10 total\n");
        assert_eq!(calls.describe(), "read 10.0");
    }
}
