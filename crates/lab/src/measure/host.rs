//! The machine: its limits, and what it is, for the head of each report.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

/// Descriptors that a process needs besides its connections.
const SPARE_DESCRIPTORS: u64 = 100;
/// Threads of others that share the machine's limits: so many, and of a low
/// limit a twentieth.
const SPARE_THREADS: usize = 200;
/// In place of the limit's name.
pub(crate) const NO_LIMIT: &str = "no limit is known here";

/// How many connections one process may hold, once it has raised its soft limit
/// to the hard one.
pub(crate) fn max_connections() -> usize {
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(1024);
    usize::try_from(limit.saturating_sub(SPARE_DESCRIPTORS)).unwrap_or(usize::MAX)
}

/// How many threads one process may have, and which limit that is.
///
/// A thread's stack takes two memory maps, the stack and its guard page, and std
/// adds a signal stack with a guard of its own: four. Beyond `max_map_count`
/// std aborts, since it cannot guard a stack any more; so it is asked first.
pub(crate) fn max_threads() -> (usize, &'static str) {
    let limits = [
        ("/proc/sys/vm/max_map_count", 4),
        ("/proc/sys/kernel/threads-max", 1),
        ("/proc/sys/kernel/pid_max", 1),
        // In a container, its own. The word `max` there is no number, and no limit.
        ("/sys/fs/cgroup/pids.max", 1),
    ];
    let known = limits.into_iter().filter_map(|(path, each)| {
        let limit: usize = fs::read_to_string(path).ok()?.trim().parse().ok()?;
        let threads = limit / each;
        Some((threads - SPARE_THREADS.min(threads / 20), path))
    });
    // Where nothing is known, as many as all systems carry.
    known.min().unwrap_or((2000, NO_LIMIT))
}

/// Processors that this process may use.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// What stands at the head of a report.
pub(crate) fn describe() -> Value {
    let (threads, by) = max_threads();
    json!({
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        "kernel": first_line("/proc/sys/kernel/osrelease"),
        "processor": processor(),
        "cores": cores(),
        "rustc": rustc(),
        "profile": if cfg!(debug_assertions) { "debug" } else { "release" },
        "max_connections": max_connections(),
        "max_threads": format!("{threads} ({by})"),
    })
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(str::to_owned)
}

fn processor() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn rustc() -> Option<String> {
    let output = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
