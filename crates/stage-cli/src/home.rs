//! The default run: `GET /users/42/home`, which is two fetches, first one after
//! the other, then side by side.

use std::io::Write;
use std::num::NonZeroUsize;

use fetch_core::{FetchError, Home, Options, Response, home_requests};

use crate::ended::{Ended, Failure};
use crate::fetched::{Fetched, finish, no_answer};
use crate::meter::Cost;
use crate::screen::{Printable, Screen, Style, wrap};
use crate::{Session, json, lanes, report};

const USER: u64 = 42;

type Both = [Result<Response, FetchError>; 2];

pub(crate) fn run(
    session: &Session,
    results: &mut Screen,
    notes: &mut Screen,
) -> Result<Ended, Failure> {
    let (args, meter) = (session.args, &session.meter);
    let origin = session.origin.as_deref().unwrap_or_default();
    let urls =
        ["profile", "orders"].map(|half| session.whole_url(&format!("/users/{USER}/{half}")));

    let (sequential, sequential_cost) = meter.measure(2, || one_after_the_other(session, origin));
    let (parallel, parallel_cost) = meter.measure(2, || {
        both(session.stage.load_home(origin, USER, &args.options))
    });

    let page_failed = parallel.iter().any(Result::is_err);
    let ways = [
        ("One after the other", &sequential_cost, false),
        ("Side by side", &parallel_cost, page_failed),
    ];
    let elapsed = ways.iter().flat_map(|(_, cost, _)| &cost.heard.elapsed);
    let answers = sequential.into_iter().chain(parallel);
    let fetched: Vec<Fetched> = answers
        .zip(elapsed)
        .zip(urls.iter().cycle())
        .enumerate()
        .map(|(index, ((result, elapsed), url))| Fetched {
            index,
            method: "GET",
            url,
            result,
            elapsed: *elapsed,
        })
        .collect();

    let aside = if args.json {
        json::print(results, &fetched)?;
        notes
    } else {
        results
    };
    introduce(aside, session, origin)?;
    for ((way, cost, page_failed), halves) in ways.iter().zip(fetched.chunks(2)) {
        show(aside, way, halves, cost)?;
        if *page_failed {
            writeln!(
                aside,
                "  (one failed, and with it the page: its error stands at both)"
            )?;
        }
        spent(aside, cost)?;
        if args.trace {
            lanes::print(aside, &cost.heard.story)?;
        }
    }
    answer(aside, session)?;
    aside.flush()?;
    finish(&fetched, args.save.as_deref())
}

fn one_after_the_other(session: &Session, origin: &str) -> Both {
    let requests = match home_requests(origin, USER) {
        Ok(requests) => requests,
        Err(error) => return both(Err(error)),
    };
    let options = Options {
        max_in_flight: NonZeroUsize::MIN,
        ..session.args.options.clone()
    };
    let mut answers = session
        .stage
        .fetch_all(requests.into(), &options)
        .into_iter();
    [(); 2].map(|()| answers.next().unwrap_or_else(|| Err(no_answer())))
}

/// A page without one half is of no use: its error is that of both.
fn both(home: Result<Home, FetchError>) -> Both {
    match home {
        Ok(Home { profile, orders }) => [Ok(profile), Ok(orders)],
        Err(error) => [Err(error.clone()), Err(error)],
    }
}

fn introduce(screen: &mut Screen, session: &Session, origin: &str) -> Result<(), Failure> {
    let about = session.about;
    let name = screen.paint(Style::Bold, about.name);
    writeln!(screen, "{name}: {}\n", about.title)?;
    let origin = Printable(origin);
    writeln!(
        screen,
        "GET /users/{USER}/home is two fetches from {origin}: profile and orders."
    )?;
    Ok(())
}

fn show(screen: &mut Screen, way: &str, halves: &[Fetched], cost: &Cost) -> Result<(), Failure> {
    let wall = report::duration(cost.wall);
    let heading = screen.paint(Style::Bold, format_args!("{way}: {wall}"));
    writeln!(screen, "\n{heading}")?;
    for (half, name) in halves.iter().zip(["profile", "orders"]) {
        let ms = report::duration(half.elapsed);
        match &half.result {
            Ok(response) => {
                let status = report::status(screen, response);
                let size = report::bytes(response.body().len());
                writeln!(screen, "  {name:<8} {status}  {size}  {ms}")?;
                report::body(screen, response)?;
            }
            Err(error) => {
                let kind = screen.paint(Style::Bad, error.kind());
                let error = error.to_string();
                writeln!(screen, "  {name:<8} {kind}  {ms}  {}", Printable(&error))?;
            }
        }
    }
    Ok(())
}

/// What the page took, but for the time.
fn spent(screen: &mut Screen, cost: &Cost) -> Result<(), Failure> {
    let unfinished = cost.heard.peak_unfinished;
    let threads = report::threads(cost);
    writeln!(
        screen,
        "  unfinished fetches at most: {unfinished}; threads at most: {threads}"
    )?;
    Ok(())
}

/// The two questions, and what to do next.
fn answer(screen: &mut Screen, session: &Session) -> Result<(), Failure> {
    let about = session.about;
    for (question, answer) in [
        ("Where did the work stop?", about.where_it_stopped),
        ("Who makes it continue?", about.who_continues),
    ] {
        let question = screen.paint(Style::Bold, question);
        write!(screen, "\n{question}\n{}", wrap(answer, 2))?;
    }
    let next = screen.paint(Style::Bold, "Next");
    let run = format!("cargo run -p {} --", about.name);
    if session.args.trace {
        writeln!(screen, "\n{next}: a crowd")?;
    } else {
        writeln!(screen, "\n{next}: who waits for what, and a crowd")?;
        writeln!(screen, "  {run} --trace")?;
    }
    writeln!(
        screen,
        "  {run} --repeat 1000 --max-in-flight 1000 /delay/1000/16"
    )?;
    Ok(())
}
