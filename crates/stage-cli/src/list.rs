//! A run over the URLs of the command line.

use std::io::Write;
use std::time::Duration;

use fetch_core::{FetchError, Request};

use crate::ended::{Ended, Failure};
use crate::fetched::{Fetched, finish, no_answer};
use crate::meter::Cost;
use crate::screen::Screen;
use crate::{Session, json, lanes, report};

pub(crate) fn run(
    session: &Session,
    results: &mut Screen,
    notes: &mut Screen,
) -> Result<Ended, Failure> {
    let args = session.args;
    let urls: Vec<String> = args.urls.iter().map(|url| session.whole_url(url)).collect();
    let (fetched, cost) = fetch_all(session, &urls);

    let aside = if args.json {
        json::print(results, &fetched)?;
        notes
    } else {
        report::list(results, &fetched)?;
        results
    };
    if args.trace {
        lanes::print(aside, &cost.heard.story)?;
    }
    report::summary(aside, &fetched, &cost)?;
    aside.flush()?;
    finish(&fetched, args.save.as_deref())
}

/// Fetches the list as often as it is to be repeated.
fn fetch_all<'a>(session: &'a Session, urls: &'a [String]) -> (Vec<Fetched<'a>>, Cost) {
    let (args, method) = (session.args, session.args.method());
    let checked: Vec<Result<Request, FetchError>> = urls
        .iter()
        .map(|url| Request::new(method, url, args.fields(), args.data()))
        .collect();

    // What is wrong already is not the stage's to fetch, but keeps its place:
    // the stage's fetch 0 is the first request that could be made.
    let mut fetched = Vec::new();
    let mut requests = Vec::new();
    let mut places = Vec::new();
    let list = checked.iter().zip(urls).cycle().take(args.fetches());
    for (index, (request, url)) in list.enumerate() {
        let error = match request {
            Ok(request) => {
                requests.push(request.clone());
                places.push(index);
                no_answer()
            }
            Err(error) => error.clone(),
        };
        fetched.push(Fetched {
            index,
            method,
            url,
            result: Err(error),
            elapsed: Duration::ZERO,
        });
    }

    let work = || session.stage.fetch_all(requests, &args.options);
    let (answers, mut cost) = session.meter.measure(places.len(), work);
    for ((place, answer), elapsed) in places.iter().zip(answers).zip(&cost.heard.elapsed) {
        fetched[*place].result = answer;
        fetched[*place].elapsed = *elapsed;
    }
    for moment in &mut cost.heard.story.moments {
        moment.fetch = places[moment.fetch];
    }
    (fetched, cost)
}
