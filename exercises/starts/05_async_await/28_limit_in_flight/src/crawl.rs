//! Yours: three ways to run all jobs, `limit` of them at a time. Each gives the
//! number of those that succeeded.

use std::future::ready;
use std::sync::Arc;

use futures_util::{StreamExt, stream};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::jobs::Source;

/// A stream of futures, of which `limit` are in work. This one is as it should
/// be: compare the others with it.
pub async fn by_stream(source: Source, limit: usize) -> usize {
    stream::iter(source)
        .map(|job| job.run())
        .buffer_unordered(limit)
        .filter(|result| ready(result.is_ok()))
        .count()
        .await
}

/// A task for each job, and a semaphore with `limit` places.
pub async fn by_semaphore(source: Source, limit: usize) -> usize {
    let places = Arc::new(Semaphore::new(limit));
    // The tasks' owner: whoever drops it aborts them.
    let mut tasks = JoinSet::new();
    for job in source {
        let places = Arc::clone(&places);
        tasks.spawn(async move {
            // No fetch without a place, so the load is limited.
            let _place = places.acquire().await;
            job.run().await.is_ok()
        });
    }
    succeeded(tasks).await
}

/// A channel with room for `limit` jobs: one end takes them from the source,
/// the other runs them.
pub async fn by_channel(source: Source, limit: usize) -> usize {
    let (submit, mut jobs) = mpsc::channel(limit);
    let producer = async move {
        for job in source {
            // Waits while the channel is full, so the load is limited.
            if submit.send(job).await.is_err() {
                break;
            }
        }
    };
    let consumer = async {
        let mut tasks = JoinSet::new();
        while let Some(job) = jobs.recv().await {
            tasks.spawn(async move { job.run().await.is_ok() });
        }
        succeeded(tasks).await
    };
    tokio::join!(producer, consumer).1
}

/// Waits for all tasks, and counts those that gave `true`.
async fn succeeded(mut tasks: JoinSet<bool>) -> usize {
    let mut succeeded = 0;
    while let Some(task) = tasks.join_next().await {
        succeeded += usize::from(task.unwrap_or(false));
    }
    succeeded
}
