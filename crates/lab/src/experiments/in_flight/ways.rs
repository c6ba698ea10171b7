//! Fetches that begin by the clock, on threads, own futures and tokio's tasks.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use fetch_core::{OnError, Options, Request};
use stage1_blocking_threads::group::Group;
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::timers::Sleep;

use crate::failure::{During, Failure, Outcome};
use crate::measure::work::Work;

/// When a fetch began, and how long it took, in µs.
pub(super) type Times = (f64, f64);

pub(super) fn threads(request: &Request, moments: &[Instant], work: Work) -> Outcome<Vec<Times>> {
    std::thread::scope(|scope| {
        // Each ends with its fetch and is joined below; their number is what is
        // measured, and at most one for each arrival.
        let threads = moments.iter().map(|moment| {
            std::thread::sleep(moment.saturating_duration_since(Instant::now()));
            scope.spawn(|| {
                let begun = Instant::now();
                let group = Group::new(OnError::Finish);
                let result =
                    stage1_blocking_threads::fetch::fetch(0, request, &Options::default(), &group);
                work.run();
                result.map(|_| timed(moments[0], begun))
            })
        });
        let threads: Vec<_> = threads.collect();
        let join = threads.into_iter().map(|thread| match thread.join() {
            Ok(result) => Ok(result?),
            Err(_) => Err(Failure::new("a thread panicked")),
        });
        join.collect()
    })
}

pub(super) fn own(request: &Request, moments: &[Instant], work: Work) -> Outcome<Vec<Times>> {
    let runtime = Runtime::new()?;
    let options = Rc::new(Options::default());
    let first = moments[0];
    let handles = runtime.block_on(async {
        let mut handles = Vec::new();
        for moment in moments {
            Sleep::until(runtime.reactor(), 0, *moment).await;
            let (options, reactor) = (Rc::clone(&options), Rc::clone(runtime.reactor()));
            let fetch =
                stage4_hand_rolled_future::by_compiler::fetch(0, request.clone(), options, reactor);
            // As for the threads; a handle that is dropped cancels its task.
            handles.push(runtime.spawn(async move {
                let begun = Instant::now();
                let result = fetch.await;
                work.run();
                result.map(|_| timed(first, begun))
            }));
        }
        let mut times = Vec::new();
        for handle in handles {
            times.push(handle.await?);
        }
        Ok(times)
    });
    handles?
}

pub(super) fn tokio_tasks(
    request: Request,
    moments: Vec<Instant>,
    work: Work,
) -> Outcome<Vec<Times>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let request = Arc::new(request);
    let first = moments[0];
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for moment in moments {
            tokio::time::sleep_until(moment.into()).await;
            let request = Arc::clone(&request);
            // As for the threads; what is left when we leave ends with the runtime.
            tasks.push(tokio::spawn(async move {
                let begun = Instant::now();
                let result =
                    stage5_async_await::fetch::fetch(0, &request, &Options::default()).await;
                work.run();
                result.map(|_| timed(first, begun))
            }));
        }
        let mut times = Vec::new();
        for task in tasks {
            times.push(task.await.during("a task")??);
        }
        Ok(times)
    })
}

fn timed(first: Instant, begun: Instant) -> Times {
    let since_first = begun.saturating_duration_since(first);
    (
        since_first.as_micros() as f64,
        begun.elapsed().as_micros() as f64,
    )
}
