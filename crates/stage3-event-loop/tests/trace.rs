//! The trace tells each fetch's story in the words and the order of
//! `fetch_core::wait`.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fetch_core::{OnError, Options, Request, Resolve, Stage, wait};
use origin::{Config, Origin, Script};
use stage3_event_loop::EventLoop;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber, span};

#[test]
fn a_fetch_waits_for_its_name_its_connection_and_its_answer() {
    let origin = Origin::start(Config::default()).unwrap();
    let url = format!("http://localhost:{}/delay/100/1", origin.address().port());
    let stories = listen(1, || {
        let options = Options {
            resolver: Arc::new(Only(origin.address())),
            ..Options::default()
        };
        let results = EventLoop.fetch_all(vec![Request::get(&url).unwrap()], &options);
        assert!(results[0].is_ok());
    });
    assert_eq!(
        stories[0].join(", "),
        "started, waiting name, woken resolver, resumed, waiting connect, woken reactor, resumed, \
         waiting readable, woken reactor, resumed, finished ok"
    );
}

#[test]
fn a_fetch_ends_by_timer_or_by_a_sibling() {
    let origin = Origin::start(Config::default()).unwrap();
    let urls = ["/delay/10000/1", "/delay/10000/2"].map(|path| origin.url(path));
    let options = Options {
        deadline: Duration::from_millis(200),
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    let stories = listen(2, || {
        let requests = urls.iter().map(|url| Request::get(url).unwrap());
        EventLoop.fetch_all(requests.collect(), &options);
    });
    let end = |story: &[String]| story[story.len() - 4..].join(", ");
    assert_eq!(
        end(&stories[0]),
        "waiting readable, woken timer, resumed, finished timeout"
    );
    assert_eq!(
        end(&stories[1]),
        "waiting readable, woken sibling, resumed, finished cancelled"
    );
}

/// started (waiting woken resumed)* finished, whatever happens: with partial
/// writes, turns that are too short, and addresses that refuse.
#[test]
fn a_fetch_never_runs_while_it_waits() {
    let origin = Origin::start(Config::default()).unwrap();
    let late = Script::new()
        .expect_head()
        .pause(Duration::from_millis(100))
        .expect_request()
        .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    origin.script("late", late).unwrap();
    let no_fields: [(&str, &str); 0] = [];
    let url = origin.url("/case/late");
    let requests = vec![
        Request::new("POST", &url, no_fields, vec![b'x'; 8 << 20]).unwrap(),
        Request::get(&origin.url("/bytes/5000000")).unwrap(),
        Request::get(&origin.url("/drip/20/1")).unwrap(),
        Request::get("http://127.0.0.1:1/").unwrap(),
    ];
    let stories = listen(requests.len(), || {
        EventLoop.fetch_all(requests.clone(), &Options::default());
    });
    assert!(stories[0].contains(&"waiting writable".to_owned()));
    for story in stories {
        let words: Vec<&str> = story
            .iter()
            .filter_map(|said| said.split(' ').next())
            .collect();
        assert_eq!((words[0], words[words.len() - 1]), ("started", "finished"));
        for wait in words[1..words.len() - 1].chunks(3) {
            assert_eq!(wait, ["waiting", "woken", "resumed"], "{story:?}");
        }
    }
}

/// Knows one address, whatever the name.
#[derive(Debug)]
struct Only(SocketAddr);

impl Resolve for Only {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![self.0])
    }
}

/// What each of so many fetches says while `run` runs, on this thread.
fn listen(fetches: usize, run: impl FnOnce()) -> Vec<Vec<String>> {
    let heard = Arc::new(Mutex::new(vec![Vec::new(); fetches]));
    let ear = Ear(Arc::clone(&heard));
    tracing::subscriber::with_default(ear, run);
    let stories = heard.lock().unwrap();
    stories.clone()
}

struct Ear(Arc<Mutex<Vec<Vec<String>>>>);

impl Subscriber for Ear {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == wait::TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut said = Said::default();
        event.record(&mut said);
        let words = [said.what, said.detail].join(" ");
        self.0.lock().unwrap()[said.fetch].push(words.trim_end().to_owned());
    }

    fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

#[derive(Default)]
struct Said {
    fetch: usize,
    what: String,
    detail: String,
}

impl Visit for Said {
    fn record_u64(&mut self, _: &Field, value: u64) {
        self.fetch = usize::try_from(value).unwrap();
    }

    fn record_str(&mut self, _: &Field, value: &str) {
        value.clone_into(&mut self.detail);
    }

    fn record_debug(&mut self, _: &Field, value: &dyn fmt::Debug) {
        self.what = format!("{value:?}");
    }
}
