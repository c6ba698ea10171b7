//! In which system call each thread of a process is, on Linux from
//! `/proc/PID/task/TID/syscall`.

#[cfg(target_os = "linux")]
use std::{fs, io::ErrorKind};

/// How many threads of a process are inside which call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Asleep {
    pub(crate) in_read: usize,
    pub(crate) in_epoll: usize,
}

/// Of process `pid`. `None` where the system does not tell: elsewhere than on
/// Linux, and where it forbids one process to look into another, even its own child.
#[cfg(target_os = "linux")]
pub(crate) fn of(pid: u32) -> Option<Asleep> {
    use nix::libc::{ESRCH, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_recvfrom};

    let epoll = [
        SYS_epoll_pwait,
        SYS_epoll_pwait2,
        #[cfg(target_arch = "x86_64")]
        nix::libc::SYS_epoll_wait,
    ];
    let mut asleep = Asleep::default();
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()? {
        let inside = match fs::read_to_string(task.ok()?.path().join("syscall")) {
            // It has ended since it was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) if error.raw_os_error() == Some(ESRCH) => continue,
            inside => inside.ok()?,
        };
        // The number and the arguments; `running` if it is in none.
        let Some(Ok(number)) = inside.split_whitespace().next().map(str::parse) else {
            continue;
        };
        asleep.in_read += usize::from(number == SYS_recvfrom);
        asleep.in_epoll += usize::from(epoll.contains(&number));
    }
    Some(asleep)
}

/// Not measured here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn of(_: u32) -> Option<Asleep> {
    None
}
