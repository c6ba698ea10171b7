//! What is left when nobody is interested any more.

use std::error::Error;
use std::time::{Duration, Instant};

use ex29_leak::{ask, ask_all};
use fetch_core::{FetchError, Request};
use origin::{Config, Origin, Script};
use tokio::runtime::{Builder, Handle};
use tokio::time::{sleep, timeout};

type TestResult = Result<(), Box<dyn Error>>;

/// Until the requests have been sent, and the origin is silent.
const A_WHILE: Duration = Duration::from_millis(300);

#[test]
fn who_is_in_time_has_its_response() -> TestResult {
    on_one_thread(async |origin| {
        let request = Request::get(&origin.url("/delay/20/16"))?;
        let response = ask(request, Duration::from_secs(4)).await;
        let response = response.ok_or("it was in time, and there is no response")?;
        assert_eq!(response.body().len(), 16);
        Ok(())
    })
}

#[test]
fn a_fetch_that_fails_is_not_waited_for() -> TestResult {
    on_one_thread(async |origin| {
        origin.script("closed", Script::new().expect_request().close())?;
        let request = Request::get(&origin.url("/case/closed"))?;
        let began = Instant::now();
        assert!(ask(request, Duration::from_secs(60)).await.is_none());
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the fetch failed at once, and its caller waited on"
        );
        Ok(())
    })
}

#[test]
fn after_a_timeout_the_connection_is_closed() -> TestResult {
    on_one_thread(async |origin| {
        let response = ask(silent(origin)?, A_WHILE).await;
        assert!(response.is_none(), "the origin has said something");
        nothing_is_left(origin, 1, "the timeout").await
    })
}

#[test]
fn whoever_drops_the_question_drops_the_fetch() -> TestResult {
    on_one_thread(async |origin| {
        // Here it is not `ask` whose time is up, but whoever has called it.
        let question = ask(silent(origin)?, Duration::from_secs(60));
        let answered = timeout(A_WHILE, question).await;
        assert!(answered.is_err(), "the origin has said something");
        nothing_is_left(origin, 1, "the drop").await
    })
}

#[test]
fn when_all_have_answered_it_ends() -> TestResult {
    on_one_thread(async |origin| {
        let paths = ["/delay/60/1", "/delay/1/2", "/delay/200/3"];
        let lengths = lengths_of_all(origin, &paths).await?;
        assert_eq!(lengths, [1, 2, 3], "three have answered");
        Ok(())
    })
}

#[test]
fn when_one_has_no_answer_it_ends_all_the_same() -> TestResult {
    on_one_thread(async |origin| {
        origin.script("closed", Script::new().expect_request().close())?;
        let paths = ["/bytes/1", "/case/closed", "/bytes/3"];
        let lengths = lengths_of_all(origin, &paths).await?;
        assert_eq!(lengths, [1, 3], "two of three have answered");
        Ok(())
    })
}

#[test]
fn with_more_answers_than_room_it_ends() -> TestResult {
    on_one_thread(async |origin| {
        let lengths = lengths_of_all(origin, &["/bytes/7"; 20]).await?;
        assert_eq!(lengths, [7; 20], "twenty have answered");
        Ok(())
    })
}

#[test]
fn many_are_asked_at_the_same_time() -> TestResult {
    on_one_thread(async |origin| {
        // Asking never ends at the start; here it is not waited for.
        let question = lengths_of_all(origin, &["/delay/300/1"; 3]);
        let _ = timeout(Duration::from_millis(1500), question).await;
        assert_eq!(
            origin.peak_in_flight(),
            3,
            "three are asked, but not side by side"
        );
        Ok(())
    })
}

#[test]
fn whoever_drops_many_questions_drops_their_fetches() -> TestResult {
    on_one_thread(async |origin| {
        let requests = vec![silent(origin)?, silent(origin)?, silent(origin)?];
        let answered = timeout(A_WHILE, ask_all(requests)).await;
        assert!(answered.is_err(), "the origin has said something");
        nothing_is_left(origin, 3, "the drop").await
    })
}

/// Runs `test` on a runtime of its own. What is left has to be looked for in
/// there: with the runtime all its tasks end, and a leak is gone.
fn on_one_thread(test: impl AsyncFn(&Origin) -> TestResult) -> TestResult {
    let origin = Origin::start(Config::default())?;
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(test(&origin))
}

/// A request that the origin reads and does not answer.
fn silent(origin: &Origin) -> Result<Request, Box<dyn Error>> {
    origin.script("silent", Script::new().expect_request().stall())?;
    Ok(Request::get(&origin.url("/case/silent"))?)
}

/// The lengths of all bodies that have come, in order of length.
async fn lengths_of_all(origin: &Origin, paths: &[&str]) -> Result<Vec<usize>, FetchError> {
    let requests: Result<Vec<Request>, FetchError> = paths
        .iter()
        .map(|path| Request::get(&origin.url(path)))
        .collect();
    let responses = ask_all(requests?).await;
    let mut lengths: Vec<usize> = responses.iter().map(|r| r.body().len()).collect();
    lengths.sort_unstable();
    Ok(lengths)
}

/// Looks for tasks and connections until there are none, for two seconds at
/// most. The origin is to have seen `asked` connections.
async fn nothing_is_left(origin: &Origin, asked: u64, after: &str) -> TestResult {
    let metrics = Handle::current().metrics();
    let left = || (metrics.num_alive_tasks(), origin.open_connections());
    eprintln!("right after {after}: {}", said(left()));
    let since = Instant::now();
    while left() != (0, 0) || origin.accepted() < asked {
        if since.elapsed() > Duration::from_secs(2) {
            break;
        }
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(origin.accepted(), asked, "so often was the origin asked");
    assert!(
        left() == (0, 0),
        "two seconds after {after} {}",
        said(left())
    );
    Ok(())
}

fn said((tasks, connections): (usize, usize)) -> String {
    let tasks = match tasks {
        1 => "1 task is alive".to_owned(),
        other => format!("{other} tasks are alive"),
    };
    match connections {
        1 => format!("{tasks} and 1 connection open"),
        other => format!("{tasks} and {other} connections open"),
    }
}
