//! What the operating system counts for a process, on Linux from proc(5).
//! Elsewhere every figure is missing, and its cell says so.

use std::fs;

/// The figures of one process at one moment, in bytes where they are memory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counters {
    /// Address space, touched or not.
    pub(crate) reserved: Option<f64>,
    /// In RAM and not backed by a file: stacks, heap, data.
    pub(crate) anonymous: Option<f64>,
    /// Page tables.
    pub(crate) page_tables: Option<f64>,
    pub(crate) threads: Option<f64>,
    /// Stacks of threads inside the kernel, **of the whole machine**: Linux
    /// counts them nowhere else.
    pub(crate) kernel_stacks: Option<f64>,
    /// Memory of sockets and other kernel objects, of the whole machine.
    pub(crate) slab: Option<f64>,
}

impl Counters {
    pub(crate) fn of(process: u32) -> Self {
        let status = read(&format!("/proc/{process}/status"));
        // Exact; the sums in `status` lag behind where there are many threads.
        let rollup = read(&format!("/proc/{process}/smaps_rollup"));
        let machine = read("/proc/meminfo");
        Counters {
            reserved: kilobytes(&status, "VmSize:"),
            anonymous: kilobytes(&rollup, "Anonymous:"),
            page_tables: kilobytes(&status, "VmPTE:"),
            threads: number(&status, "Threads:"),
            kernel_stacks: kilobytes(&machine, "KernelStack:"),
            slab: kilobytes(&machine, "Slab:"),
        }
    }

    /// What has been added since `before`.
    pub(crate) fn since(&self, before: &Counters) -> Counters {
        let minus = |now: Option<f64>, then: Option<f64>| Some(now? - then?);
        Counters {
            reserved: minus(self.reserved, before.reserved),
            anonymous: minus(self.anonymous, before.anonymous),
            page_tables: minus(self.page_tables, before.page_tables),
            threads: minus(self.threads, before.threads),
            kernel_stacks: minus(self.kernel_stacks, before.kernel_stacks),
            slab: minus(self.slab, before.slab),
        }
    }
}

/// What this process has used of processors since it began, and how often its
/// threads were switched: by themselves (to wait), and against their will.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usage {
    pub(crate) cpu_us: f64,
    pub(crate) voluntary: f64,
    pub(crate) involuntary: f64,
}

impl Usage {
    /// As of now, with all threads, also those that have ended.
    #[cfg(unix)]
    pub(crate) fn now() -> Option<Self> {
        use nix::sys::resource::{UsageWho, getrusage};
        use nix::sys::time::TimeValLike;

        let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
        let spent = usage.user_time() + usage.system_time();
        Some(Usage {
            cpu_us: spent.num_microseconds() as f64,
            voluntary: usage.voluntary_context_switches() as f64,
            involuntary: usage.involuntary_context_switches() as f64,
        })
    }

    /// Not measured here.
    #[cfg(not(unix))]
    pub(crate) fn now() -> Option<Self> {
        None
    }

    pub(crate) fn since(&self, before: &Usage) -> Usage {
        Usage {
            cpu_us: self.cpu_us - before.cpu_us,
            voluntary: self.voluntary - before.voluntary,
            involuntary: self.involuntary - before.involuntary,
        }
    }
}

/// The text, or none where there is no such file.
fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn number(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

fn kilobytes(text: &str, name: &str) -> Option<f64> {
    Some(number(text, name)? * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_behind_their_names() {
        let text = "VmSize:\t    1234 kB\nThreads:\t7\n";
        assert_eq!(kilobytes(text, "VmSize:"), Some(1234.0 * 1024.0));
        assert_eq!(number(text, "Threads:"), Some(7.0));
        assert_eq!(number(text, "Absent:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_was_touched_is_anonymous() {
        let before = Counters::of(std::process::id());
        let held = vec![1u8; 32 << 20];
        let grown = Counters::of(std::process::id()).since(&before);
        assert!(
            grown.anonymous.is_some_and(|bytes| bytes >= 30e6),
            "{grown:?}"
        );
        drop(held);
    }
}
