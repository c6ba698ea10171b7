//! What a stage does in a process under measurement.

use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use fetch_core::{FetchError, OnError, Options, Request, Response, Stage};
use serde_json::{Value, json};

use crate::contestants::hearing::{self, Hearing, Orders};
use crate::contestants::stage;
use crate::failure::{Failure, Outcome};
use crate::measure::counters::Usage;
use crate::measure::origin::now_us;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::measure::work::Work;

/// Does one job: `lab contestant NAME job=…`.
pub(crate) fn serve(name: &str, parameters: &Parameters) -> Outcome<()> {
    let stage = stage(name, parameters)?;
    // As many connections as the system allows.
    let _ = rlimit::increase_nofile_limit(u64::MAX);
    let talk = Talk::start()?;
    match parameters.text("job")? {
        "crowd" => crowd(&*stage, parameters, &talk),
        "home" => home(&*stage, parameters, &talk),
        "fail" => fail(&*stage, parameters, &talk),
        "record" => record(&*stage, parameters, &talk),
        other => Err(Failure::new(format!("no job is called {other:?}"))),
    }
}

/// `n` times the same fetch, `in-flight` at a time.
fn crowd(stage: &dyn Stage, parameters: &Parameters, talk: &Talk) -> Outcome<()> {
    let n: usize = parameters.number("n")?;
    let path = parameters.text("path")?;
    let options = options(parameters)?;
    let hearing = match hears(parameters)? {
        Some(orders) => Some(Hearing::start(orders)?),
        None => None,
    };
    // The first fetch sets up what is set up once.
    stage.fetch_all(requests(parameters, "/bytes/16", 2)?, &options);
    if let Some(hearing) = &hearing {
        hearing.begin();
    }

    let before_requests = counting_alloc::live_bytes();
    let requests = requests(parameters, path, n)?;
    let requests_bytes = counting_alloc::live_bytes() - before_requests;
    talk.ready();
    let before = Usage::now();
    let allocations = counting_alloc::allocations();
    let began = Instant::now();
    let results = stage.fetch_all(requests, &options);
    let wall = began.elapsed();
    let allocations = counting_alloc::allocations() - allocations;
    let used = before.and_then(|before| Some(Usage::now()?.since(&before)));

    let ok = results.iter().filter(|result| result.is_ok()).count();
    talk.results(&json!({
        "ok": ok,
        "failed": n - ok,
        "first_failure": results.iter().find_map(|result| Some(result.as_ref().err()?.to_string())),
        "wall_us": wall.as_micros() as f64,
        "cpu_us": used.map(|used| used.cpu_us),
        "voluntary": used.map(|used| used.voluntary),
        "involuntary": used.map(|used| used.involuntary),
        "allocations": allocations,
        "live_before_requests": before_requests,
        "requests_bytes": requests_bytes,
        "results_bytes": n * size_of::<Result<Response, FetchError>>(),
        "chain": hearing.as_ref().map(Hearing::take_chain),
        "trace": hearing.map(|hearing| hearing::summary(&hearing.take())),
    }));
    Ok(())
}

/// Profile and orders, one after the other and side by side, `times` times.
fn home(stage: &dyn Stage, parameters: &Parameters, talk: &Talk) -> Outcome<()> {
    let options = options(parameters)?;
    let one_at_a_time = Options {
        max_in_flight: NonZeroUsize::MIN,
        ..options.clone()
    };
    let origin = first_origin(parameters)?;
    stage.fetch_all(requests(parameters, "/bytes/16", 2)?, &options);
    talk.ready();
    let (mut in_sequence, mut together) = (Vec::new(), Vec::new());
    for _ in 0..parameters.number_or("times", 1)? {
        let requests: Vec<Request> = fetch_core::home_requests(origin, 42)?.into();
        let began = Instant::now();
        for result in stage.fetch_all(requests, &one_at_a_time) {
            result?;
        }
        in_sequence.push(began.elapsed().as_micros() as f64);
        let began = Instant::now();
        stage.load_home(origin, 42, &options)?;
        together.push(began.elapsed().as_micros() as f64);
    }
    talk.results(&json!({ "in_sequence_us": in_sequence, "together_us": together }));
    Ok(())
}

/// One fetch fails, and the other would take ten seconds more.
fn fail(stage: &dyn Stage, parameters: &Parameters, talk: &Talk) -> Outcome<()> {
    let options = Options {
        on_error: OnError::CancelOthers,
        ..options(parameters)?
    };
    let origin = first_origin(parameters)?;
    let slow = Request::get(&format!("{origin}/delay/10000/16"))?;
    let failing = Request::get(&format!("{origin}/case/fail"))?;
    talk.ready();
    let began = Instant::now();
    let results = stage.fetch_all(vec![slow, failing], &options);
    let kinds = results.iter().map(|result| match result {
        Ok(_) => "ok",
        Err(error) => error.kind().as_str(),
    });
    let kinds: Vec<_> = kinds.collect();
    talk.results(&json!({
        "kinds": kinds,
        "wall_us": began.elapsed().as_micros() as f64,
        "returned_us": now_us(),
    }));
    Ok(())
}

/// Does what the timeline shows, and tells its story.
fn record(stage: &dyn Stage, parameters: &Parameters, talk: &Talk) -> Outcome<()> {
    let options = options(parameters)?;
    let origin = first_origin(parameters)?;
    let hearing = Hearing::start(hears(parameters)?.unwrap_or_default())?;
    stage.fetch_all(requests(parameters, "/bytes/16", 2)?, &options);
    let paths = parameters.text("paths")?.split(',');
    let paths = paths.filter(|path| !path.is_empty());
    let urls = paths.map(|path| Request::get(&format!("{origin}{path}")));
    let requests: Vec<Request> = urls.collect::<Result<_, _>>()?;
    talk.ready();
    hearing.begin();
    let began = Instant::now();
    if requests.is_empty() {
        stage.load_home(origin, 42, &options)?;
    } else {
        for result in stage.fetch_all(requests, &options) {
            result?;
        }
    }
    let took = began.elapsed();
    let story = hearing.take();
    let event = |heard: &hearing::Heard| {
        json!({
            "us": heard.at.saturating_duration_since(began).as_micros() as f64,
            "thread": heard.thread,
            "fetch": heard.fetch,
            "what": heard.what,
            "detail": heard.detail,
        })
    };
    let events: Vec<Value> = story.iter().map(event).collect();
    talk.results(&json!({ "took_us": took.as_micros() as f64, "events": events }));
    Ok(())
}

fn options(parameters: &Parameters) -> Outcome<Options> {
    let otherwise = Options::default();
    Ok(Options {
        max_in_flight: parameters.number_or("in-flight", otherwise.max_in_flight)?,
        deadline: Duration::from_millis(parameters.number_or("deadline-ms", 60_000)?),
        ..otherwise
    })
}

/// What a fetch shall do besides fetching; none if nobody need listen.
fn hears(parameters: &Parameters) -> Outcome<Option<Orders>> {
    let work: u64 = parameters.number_or("work-us", 0)?;
    let stall: u64 = parameters.number_or("stall-ms", 0)?;
    let chain = parameters.number_or("chain", 0)? > 0;
    let orders = Orders {
        work: (work > 0).then(|| Work::of(Duration::from_micros(work))),
        stall: (stall > 0).then(|| Duration::from_millis(stall)),
        chain,
    };
    let wanted = work > 0 || stall > 0 || chain || parameters.number_or("trace", 0)? > 0;
    Ok(wanted.then_some(orders))
}

fn first_origin(parameters: &Parameters) -> Outcome<&str> {
    Ok(parameters.text("origins")?.split(',').next().unwrap_or(""))
}

/// `n` requests for `path`, the origin's addresses in turn.
fn requests(parameters: &Parameters, path: &str, n: usize) -> Outcome<Vec<Request>> {
    let origins: Vec<_> = parameters.text("origins")?.split(',').collect();
    let urls = origins.iter().map(|origin| format!("{origin}{path}"));
    let urls: Vec<_> = urls.collect();
    // With room for exactly these, since it is weighed.
    let mut requests = Vec::with_capacity(n);
    for url in urls.iter().cycle().take(n) {
        requests.push(Request::get(url)?);
    }
    Ok(requests)
}

/// What the results of a crowd say, or why they do not count.
pub(crate) fn all_ok(results: &Value, n: usize) -> Outcome<()> {
    match results["ok"].as_u64() {
        Some(ok) if ok == n as u64 => Ok(()),
        ok => Err(Failure::new(format!(
            "only {} of {n} fetches succeeded; the first failure: {}",
            ok.unwrap_or(0),
            results["first_failure"].as_str().unwrap_or("unknown")
        ))),
    }
}
