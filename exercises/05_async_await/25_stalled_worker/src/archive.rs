//! Where bodies are kept. Given: there is nothing to change here.

use std::io;

/// A place on a disk, somewhere far away.
///
/// **This call may block** for as long as it likes, as every call of the system
/// does that reads or writes a file, and cannot be cancelled. Who implements
/// this knows nothing of futures.
pub trait Archive: Send + Sync {
    /// Writes `body`, and returns once it is on the disk.
    ///
    /// # Errors
    ///
    /// What the system reports.
    fn write(&self, body: &[u8]) -> io::Result<()>;
}
