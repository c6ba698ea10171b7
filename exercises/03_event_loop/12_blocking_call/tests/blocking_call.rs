//! A name that is slow to be found keeps nobody waiting but the one who asks.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use ex12_blocking_call::{Bell, Names, fetch_all};
use fetch_core::{ErrorKind, Request, Resolve};
use mio::Token;
use origin::{Config, Origin};

type TestResult = Result<(), Box<dyn Error>>;

/// How long the slow name takes if it must not be found earlier.
const PATIENCE: Duration = Duration::from_secs(1);

#[test]
fn a_name_is_looked_up() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let resolver = Arc::new(Slow::new(origin.address()));
    let requests = [Request::get("http://fast.test/bytes/5")?];
    let mut bodies = Vec::new();
    fetch_all(&requests, resolver, |_, result| {
        bodies.push(result.map(|response| response.body().len()));
    })?;
    assert_eq!(bodies, [Ok(5)]);
    Ok(())
}

#[test]
fn a_slow_name_stops_nobody_else() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let requests = [
        Request::get("http://slow.test/bytes/5")?,
        Request::get(&origin.url("/delay/50/5"))?,
    ];
    let order = order_of(&requests, Arc::new(Slow::new(origin.address())))?;
    assert_eq!(
        order,
        [1, 0],
        "fetch 1 needs no name, and had to wait for fetch 0's"
    );
    Ok(())
}

#[test]
fn a_slow_name_delays_no_other_name() -> TestResult {
    let origin = Origin::start(Config::default())?;
    let requests = [
        Request::get("http://slow.test/bytes/5")?,
        Request::get("http://fast.test/delay/50/5")?,
    ];
    let order = order_of(&requests, Arc::new(Slow::new(origin.address())))?;
    assert_eq!(
        order,
        [1, 0],
        "fetch 1's name was not even looked up before fetch 0's was found"
    );
    Ok(())
}

#[test]
fn asking_returns_at_once() -> TestResult {
    let slow = Arc::new(Slow::new(SocketAddr::from(([127, 0, 0, 1], 80))));
    let (bell, rings) = bell();
    let mut names = Names::new(Arc::clone(&slow) as Arc<dyn Resolve>, bell);
    names.ask(Token(3), "slow.test".to_owned(), 80)?;
    assert!(
        names.next_answer().is_none(),
        "`ask` came back only after the resolver had answered"
    );
    slow.may_answer();
    rings.recv()?.continues();
    let answer = names
        .next_answer()
        .ok_or("the bell has rung, and no answer is there")?;
    assert_eq!(answer.token, Token(3));
    Ok(())
}

/// Whoever is woken looks at once, and then sleeps again.
#[test]
fn when_the_bell_rings_the_answer_is_there() -> TestResult {
    let resolver = Arc::new(Slow::new(SocketAddr::from(([127, 0, 0, 1], 80))));
    let (bell, rings) = bell();
    let mut names = Names::new(resolver, bell);
    names.ask(Token(3), "fast.test".to_owned(), 80)?;
    let ring = rings.recv()?;
    let answer = names.next_answer();
    ring.continues();
    assert!(
        answer.is_some(),
        "the bell rang, and there was no answer: the loop sleeps again, and it is not rung again"
    );
    Ok(())
}

#[test]
fn a_name_that_does_not_exist_is_an_answer() -> TestResult {
    let resolver = Arc::new(Slow::new(SocketAddr::from(([127, 0, 0, 1], 80))));
    let requests = [Request::get("http://nobody.test/")?];
    let mut kinds = Vec::new();
    fetch_all(&requests, resolver, |_, result| {
        kinds.push(result.map(drop).map_err(|error| error.kind()));
    })?;
    assert_eq!(kinds, [Err(ErrorKind::DnsFailure)]);
    Ok(())
}

/// In which order the fetches finish. The slow name is found when one of the
/// others has finished.
fn order_of(requests: &[Request], slow: Arc<Slow>) -> Result<Vec<usize>, Box<dyn Error>> {
    let mut order = Vec::new();
    let mut failure = None;
    fetch_all(
        requests,
        Arc::clone(&slow) as Arc<dyn Resolve>,
        |index, result| {
            eprintln!("fetch {index} ({}) is finished", requests[index].host());
            order.push(index);
            failure = failure.take().or(result.err());
            slow.may_answer();
        },
    )?;
    match failure {
        Some(error) => Err(error.into()),
        None => Ok(order),
    }
}

/// Knows three names: one at once, one that does not exist, and one that it
/// finds when it may, at the latest after [`PATIENCE`].
#[derive(Debug)]
struct Slow {
    address: SocketAddr,
    may_answer: Mutex<bool>,
    changed: Condvar,
}

impl Slow {
    fn new(address: SocketAddr) -> Self {
        Slow {
            address,
            may_answer: Mutex::new(false),
            changed: Condvar::new(),
        }
    }

    fn may_answer(&self) {
        *self
            .may_answer
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl Resolve for Slow {
    fn resolve(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        if host == "nobody.test" {
            return Err(io::Error::other("no such name"));
        }
        if host == "slow.test" {
            let may = self.may_answer.lock();
            let may = may.unwrap_or_else(PoisonError::into_inner);
            let waited = self.changed.wait_timeout_while(may, PATIENCE, |may| !*may);
            drop(waited);
        }
        Ok(vec![self.address])
    }
}

/// A bell, and what hears it. Whoever rings it waits until the listener has had
/// his look.
fn bell() -> (Arc<dyn Bell>, Receiver<Ring>) {
    let (rings, heard) = channel();
    (Arc::new(SlowBell(Mutex::new(rings))), heard)
}

struct SlowBell(Mutex<Sender<Ring>>);

/// One ring of the bell. Who has rung goes on when it is dropped.
struct Ring {
    _done: Sender<()>,
}

impl Ring {
    fn continues(self) {}
}

impl Bell for SlowBell {
    fn ring(&self) {
        let (done, is_done) = channel();
        let rings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if rings.send(Ring { _done: done }).is_ok() {
            // The sender is dropped, which is the answer. Not for ever, since
            // it may be the listener himself who rings.
            let _ = is_done.recv_timeout(Duration::from_millis(500));
        }
    }
}
