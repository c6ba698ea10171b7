//! A token finds the value that it was given out for, and no other.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use ex10_stale_token::{SLOT_MASK, Slots, fetch_in_turn};
use fetch_core::{ErrorKind, Options, Request, Resolve, SystemResolver};
use origin::{Config, Origin, Script};

type TestResult = Result<(), Box<dyn Error>>;

#[test]
fn fetches_one_after_the_other() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let mut requests = Vec::new();
    for length in 1..=3 {
        let request = Request::get(&origin.url(&format!("/bytes/{length}")))?;
        requests.push((request, Options::default()));
    }
    let results = fetch_in_turn(&requests, Arc::new(SystemResolver))?;
    for (result, length) in results.into_iter().zip(1..) {
        assert_eq!(result?.body().len(), length);
    }
    Ok(())
}

/// The first fetch gives up before its name is resolved; the second one takes
/// its slot. Then the answer for the first comes.
#[test]
fn a_late_answer_goes_to_nobody() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let first = origin.listen(response("the first one's page"))?;
    let second = origin.listen(response("the second one's page"))?;
    let resolver = LateResolver {
        first,
        second,
        progress: Mutex::default(),
        changed: Condvar::new(),
    };
    let impatient = Options {
        deadline: Duration::from_millis(100),
        ..Options::default()
    };
    let requests = [
        (Request::get("http://first.test/")?, impatient),
        (Request::get("http://second.test/")?, Options::default()),
    ];
    let results = fetch_in_turn(&requests, Arc::new(resolver))?;

    let kind = results[0].as_ref().map_err(|error| error.kind());
    assert_eq!(kind.err(), Some(ErrorKind::Timeout));
    let body = results[1].as_ref().map_err(Clone::clone)?.body();
    let page = String::from_utf8_lossy(body);
    eprintln!("the second fetch got: {page}");
    assert_eq!(
        page, "the second one's page",
        "the answer for the first fetch's name was given to the second fetch, and it went there"
    );
    Ok(())
}

#[test]
fn the_token_of_a_value_that_left_finds_nobody() {
    let mut slots = Slots::new();
    let old = slots.insert("old");
    assert_eq!(slots.remove(old), Some("old"));
    assert_eq!(slots.get_mut(old), None);
    let new = slots.insert("new");
    eprintln!("slot {} again: {old:?}, then {new:?}", new.0 & SLOT_MASK);
    assert_eq!(
        slots.get_mut(old),
        None,
        "an old token found the new value in its slot"
    );
    assert_eq!(slots.get_mut(new), Some(&mut "new"));
}

#[test]
fn the_token_of_a_value_that_left_removes_nobody() {
    let mut slots = Slots::new();
    let old = slots.insert("old");
    assert_eq!(slots.remove(old), Some("old"));
    let new = slots.insert("new");
    assert_eq!(
        slots.remove(old),
        None,
        "an old token took the new value out of its slot"
    );
    assert_eq!(slots.get_mut(new), Some(&mut "new"));
    assert_eq!(slots.remove(new), Some("new"));
}

#[test]
fn every_value_is_found_by_its_own_token() {
    let mut slots = Slots::new();
    let mut tokens: Vec<_> = (0..10_usize)
        .map(|value| (slots.insert(value), value))
        .collect();
    // Some leave, others come, and those that stay are found as before.
    for value in (10..100).step_by(3) {
        let (token, leaving) = tokens.remove(value % 7);
        assert_eq!(slots.remove(token), Some(leaving));
        tokens.push((slots.insert(value), value));
    }
    for (token, mut value) in tokens {
        assert_eq!(
            slots.get_mut(token),
            Some(&mut value),
            "a value that is still there was not found by its token"
        );
    }
}

#[test]
fn a_free_slot_is_used_again() {
    let mut slots = Slots::new();
    for round in 0..1_000 {
        let token = slots.insert(round);
        let slot = token.0 & SLOT_MASK;
        assert_eq!(
            slot, 0,
            "slot 0 is free, and slot {slot} was taken: this map grows for ever"
        );
        assert_eq!(slots.remove(token), Some(round));
    }
}

fn response(body: &str) -> Script {
    let length = body.len();
    Script::new()
        .expect_request()
        .send(format!(
            "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
        .close()
}

/// Answers for the first name as soon as somebody asks for the second, and for
/// the second a while after that.
#[derive(Debug)]
struct LateResolver {
    first: SocketAddr,
    second: SocketAddr,
    progress: Mutex<Progress>,
    changed: Condvar,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    #[default]
    Begun,
    SecondAsked,
    FirstAnswers,
}

impl LateResolver {
    fn reach(&self, progress: Progress) {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        self.changed.notify_all();
    }

    /// Ten seconds at most: then the test has failed anyway.
    fn wait_for(&self, progress: Progress) {
        let now = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let limit = Duration::from_secs(10);
        let waited = self
            .changed
            .wait_timeout_while(now, limit, |now| *now < progress);
        drop(waited);
    }
}

impl Resolve for LateResolver {
    fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        if host == "first.test" {
            self.wait_for(Progress::SecondAsked);
            self.reach(Progress::FirstAnswers);
            return Ok(vec![self.first]);
        }
        self.reach(Progress::SecondAsked);
        self.wait_for(Progress::FirstAnswers);
        // So that the other answer is taken first.
        std::thread::sleep(Duration::from_millis(300));
        Ok(vec![self.second])
    }
}
