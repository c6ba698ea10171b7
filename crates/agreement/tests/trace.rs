//! What the stages say of their waits: every fetch tells one story from its start to
//! its end, whatever the server does to it, and its last word is its result.

use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use agreement::stages;
use conformance::trace::listen;
use fetch_core::{OnError, Options, Request, Resolve};
use origin::{Config, Origin, Script};

/// Fetches that end in every way there is.
fn requests(origin: &Origin) -> Vec<Request> {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\n";
    let every = Duration::from_millis(5);
    let scripts = [
        Script::new()
            .expect_request()
            .send(head)
            .drip(20, every)
            .fin(),
        Script::new().expect_request().send(head).fill(10).fin(),
        Script::new().expect_request().send(head).fill(10).reset(),
        Script::new()
            .expect_request()
            .send("HTTP/1.1 banana\r\n\r\n"),
        Script::new().expect_request().pause(every).reset(),
        Script::new().expect_request().close(),
        Script::new().reset(),
        Script::new().expect_request().stall(),
        Script::new().stall_unread(),
    ];
    let scripted = scripts.map(|script| origin.listen(script).expect("a place to listen"));
    let paths = [
        "/bytes/0",
        "/bytes/300000",
        "/delay/30/16",
        "/users/42/orders",
    ];
    let mut urls: Vec<String> = paths.iter().map(|path| origin.url(path)).collect();
    urls.extend(scripted.iter().map(|address| format!("http://{address}/")));
    urls.push(origin.url("/bytes/16").replace("127.0.0.1", "localhost"));
    urls.push("http://nowhere/".to_owned());
    // Nobody listens on port 1.
    urls.push("http://127.0.0.1:1/".to_owned());
    urls.iter()
        .map(|url| Request::get(url).expect(url))
        .collect()
}

/// Knows one name, and asks no name server for the others.
#[derive(Debug)]
struct Names;

impl Resolve for Names {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        match host {
            "localhost" => Ok(vec![(Ipv4Addr::LOCALHOST, port).into()]),
            _ => Err(ErrorKind::NotFound.into()),
        }
    }
}

#[test]
fn every_fetch_tells_one_story_and_its_end_is_its_result() {
    let origin = Origin::start(Config::default()).expect("an origin");
    for (name, subject) in stages() {
        for on_error in [OnError::Finish, OnError::CancelOthers] {
            // Few places, so that some have to queue.
            let options = Options {
                max_in_flight: 5.try_into().expect("not zero"),
                deadline: Duration::from_millis(300),
                on_error,
                resolver: Arc::new(Names),
                ..Options::default()
            };
            let requests = requests(&origin);
            let (results, trace) = listen(|| subject.fetch_all(requests.clone(), &options));
            let results = results.expect(name).result;
            for (id, result) in results.iter().enumerate() {
                let place = format!("{name}, {on_error:?}, {}", requests[id].url());
                let outcome = match result {
                    Ok(_) => "ok",
                    Err(error) => error.kind().as_str(),
                };
                if trace.of(id).is_empty() {
                    // It was cancelled before there was anything that could say so.
                    assert_eq!(outcome, "cancelled", "{place} never began");
                    continue;
                }
                trace
                    .check_order(id)
                    .unwrap_or_else(|why| panic!("{place}: {why}"));
                let end = format!("finished {outcome}");
                assert_eq!(trace.end_of(id, 1), [end], "{place}");
            }
        }
    }
}
