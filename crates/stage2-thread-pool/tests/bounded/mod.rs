//! Tests that fail where they would hang.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// Far more than anything here takes: what has not come by then never will.
pub(crate) const NEVER: Duration = Duration::from_secs(60);

/// Runs `test` on a thread of its own, and fails if it does not return.
pub(crate) fn bounded(test: impl FnOnce() + Send + 'static) {
    let (tell, told) = mpsc::channel();
    let testing = thread::spawn(move || {
        test();
        let _ = tell.send(());
    });
    match told.recv_timeout(NEVER) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        // It has returned, or it has panicked.
        _ => testing
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
    }
}
