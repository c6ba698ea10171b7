//! Does not compile either, though the guard is gone before the wait.

use std::sync::Mutex;

static FETCHED: Mutex<u64> = Mutex::new(0);

async fn fetch() {}

async fn count() {
    let mut fetched = FETCHED.lock().unwrap();
    *fetched += 1;
    drop(fetched);
    fetch().await;
}

/// What a runtime with several worker threads asks of a task.
fn spawn(_task: impl Future<Output = ()> + Send + 'static) {}

pub fn start() {
    spawn(count());
}
