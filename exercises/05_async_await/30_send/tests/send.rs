//! A lock, two tasks, and the question where a future may live.

use std::error::Error;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use ex30_send::Cache;
use fetch_core::Request;
use origin::{Config, Origin, Script};
use tokio::runtime::Builder;

type TestResult = Result<(), Box<dyn Error>>;

#[test]
fn a_page_is_fetched_once_and_kept() -> TestResult {
    on_one_thread(async |origin| {
        let cache = Cache::default();
        let request = Request::get(&origin.url("/bytes/16"))?;
        for _ in 0..3 {
            assert_eq!(cache.page(&request).await?.len(), 16);
        }
        assert_eq!(origin.accepted(), 1, "so often was one page fetched");
        Ok(())
    })
}

#[test]
fn a_fetch_that_fails_leaves_nothing_behind() -> TestResult {
    on_one_thread(async |origin| {
        let cache = Cache::default();
        let request = Request::get(&origin.url("/case/page"))?;
        origin.script("page", Script::new().expect_request().close())?;
        let outcome = cache.page(&request).await;
        assert!(outcome.is_err(), "the origin has closed: {outcome:?}");
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        let well = Script::new().expect_request().send(answer).close();
        origin.script("page", well)?;
        assert_eq!(cache.page(&request).await?.as_ref(), b"ok");
        Ok(())
    })
}

#[test]
fn two_tasks_on_one_thread_get_their_pages() -> TestResult {
    on_one_thread(async |origin| {
        let cache = Cache::default();
        let one = Request::get(&origin.url("/delay/50/1"))?;
        let two = Request::get(&origin.url("/delay/50/2"))?;
        let (one, two) = tokio::join!(cache.page(&one), cache.page(&two));
        assert_eq!((one?.len(), two?.len()), (1, 2));
        Ok(())
    })
}

/// The opposite fault: a lock for which a task can wait without blocking its
/// thread, and that is held all the same while the origin is thinking.
#[test]
fn nobody_waits_for_the_page_of_somebody_else() -> TestResult {
    on_one_thread(async |origin| {
        let cache = Cache::default();
        let kept = Request::get(&origin.url("/bytes/16"))?;
        cache.page(&kept).await?;

        let slow = Request::get(&origin.url("/delay/500/1"))?;
        let first = tokio::select! {
            // In this order: the fetch has begun when the other is asked for.
            biased;
            _ = cache.page(&slow) => "the slow page",
            _ = cache.page(&kept) => "the page that is kept",
        };
        assert_eq!(
            first, "the page that is kept",
            "a page that is kept had to wait for the fetch of another one"
        );
        Ok(())
    })
}

#[test]
fn the_future_may_move_to_another_thread() -> TestResult {
    let cache = Cache::default();
    let request = Request::get("http://127.0.0.1/")?;
    let future = cache.page(&request);
    assert!(
        Asked::about(&future).is_send(),
        "the future is not Send: something that it keeps across an await must not leave its \
         thread, and `tokio::spawn` would refuse it"
    );
    eprintln!("it is Send, and has {} bytes", size_of_val(&future));
    Ok(())
}

#[test]
fn an_rc_may_not_and_an_arc_may() {
    assert!(!Asked::about(&Rc::new(())).is_send());
    assert!(Asked::about(&Arc::new(())).is_send());
}

fn on_one_thread(test: impl AsyncFn(&Origin) -> TestResult) -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(test(&origin))
}

/// Asks the compiler a question that it would otherwise answer with an error.
/// A type's own method goes before a trait's of the same name, and this one
/// there is only if `T` is `Send`.
struct Asked<T>(PhantomData<T>);

impl<T> Asked<T> {
    fn about(_: &T) -> Self {
        Asked(PhantomData)
    }
}

impl<T: Send> Asked<T> {
    fn is_send(&self) -> bool {
        true
    }
}

trait Otherwise {
    fn is_send(&self) -> bool {
        false
    }
}

impl<T> Otherwise for Asked<T> {}
