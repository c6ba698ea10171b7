//! Does not compile: a future that may wait on one thread and go on on another
//! must not hold what belongs to a thread.

use std::sync::Mutex;

static FETCHED: Mutex<u64> = Mutex::new(0);

async fn fetch() {}

async fn count() {
    let mut fetched = FETCHED.lock().unwrap();
    fetch().await;
    *fetched += 1;
}

/// What a runtime with several worker threads asks of a task.
fn spawn(_task: impl Future<Output = ()> + Send + 'static) {}

pub fn start() {
    spawn(count());
}
