//! A run over the URLs of the command line.

use std::fs;
use std::io::Write;
use std::time::Duration;

use fetch_core::{FetchError, Request, Response};

use crate::screen::Screen;
use crate::{Ended, Failure, Session, json, lanes, report};

/// One fetch: what was asked for, and what came of it.
pub(crate) struct Fetched<'a> {
    /// Its place in the output.
    pub(crate) index: usize,
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) result: Result<Response, FetchError>,
    /// Zero for one that never started.
    pub(crate) elapsed: Duration,
}

pub(crate) fn run(
    session: &Session,
    results: &mut Screen,
    notes: &mut Screen,
) -> Result<Ended, Failure> {
    let Session { args, stage, .. } = session;
    let urls: Vec<String> = args.urls.iter().map(|url| session.whole_url(url)).collect();
    let method = args.method();
    let checked: Vec<Result<Request, FetchError>> = urls
        .iter()
        .map(|url| Request::new(method, url, fields(&args.fields), args.data()))
        .collect();

    // The list, repeated. What is wrong already is not the stage's to fetch,
    // but keeps its place.
    let list = || checked.iter().zip(&urls).cycle().take(args.fetches());
    let requests: Vec<Request> = list().filter_map(|(one, _)| one.clone().ok()).collect();
    let (answers, cost) = session
        .meter
        .measure(requests.len(), || stage.fetch_all(requests, &args.options));

    let mut answers = answers.into_iter().zip(&cost.heard.elapsed);
    let fetched = list().enumerate().map(|(index, (one, url))| {
        let (result, elapsed) = match one {
            Err(error) => (Err(error.clone()), Duration::ZERO),
            Ok(_) => match answers.next() {
                Some((result, elapsed)) => (result, *elapsed),
                None => (Err(no_answer()), Duration::ZERO),
            },
        };
        Fetched {
            index,
            method,
            url,
            result,
            elapsed,
        }
    });
    let fetched: Vec<Fetched> = fetched.collect();

    if args.json {
        print_json(results, &fetched)?;
    } else {
        report::list(results, &fetched)?;
    }
    let aside = if args.json { notes } else { results };
    if args.trace {
        lanes::print(aside, &cost.heard.story)?;
    }
    report::summary(aside, &fetched, &cost)?;
    aside.flush()?;
    save(session, &fetched)?;
    Ok(Ended::from_all_fetched(
        fetched.iter().all(|one| one.result.is_ok()),
    ))
}

/// One line a fetch.
pub(crate) fn print_json(results: &mut Screen, fetched: &[Fetched]) -> Result<(), Failure> {
    for one in fetched {
        writeln!(results, "{}", json::line(one))?;
    }
    Ok(results.flush()?)
}

/// `--save`: the bodies, each in a file of its own.
pub(crate) fn save(session: &Session, fetched: &[Fetched]) -> Result<(), Failure> {
    let Some(directory) = &session.args.save else {
        return Ok(());
    };
    for one in fetched {
        if let Ok(response) = &one.result {
            let path = directory.join(format!("{}.body", one.index));
            fs::write(&path, response.body())
                .map_err(|error| Failure::system(format!("writing {}", path.display()), error))?;
        }
    }
    Ok(())
}

fn fields(given: &[(Vec<u8>, Vec<u8>)]) -> impl Iterator<Item = (&[u8], &[u8])> {
    given
        .iter()
        .map(|(name, value)| (name.as_slice(), value.as_slice()))
}

/// The contract is one result a request; a stage under construction may not
/// keep it, and should hear of it.
pub(crate) fn no_answer() -> FetchError {
    FetchError::Io {
        reason: "the stage gave no result for this request".to_owned(),
    }
}
