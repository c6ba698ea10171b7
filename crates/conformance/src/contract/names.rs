//! Names and their addresses: late, never, dead, none.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use fetch_core::{ErrorKind, Options, Resolve};

use super::setup::{
    AMPLE, answer_after, at_most, deadline, expect_body, expect_kind, expect_timeout, get, get_all,
    passed, serve, start_origin,
};
use super::{ContractCheck, check};
use crate::{Check, RefusingPort, Subject, Timed, connections_made};

pub(super) const CHECKS: &[ContractCheck] = &[
    check("name-late", late),
    check("name-never", never),
    check("name-dead-address-first", dead_address_first),
    check("name-only-dead-addresses", only_dead_addresses),
    check("name-without-address", without_address),
    check("name-error", error),
    check("name-asked-once", asked_once),
    check("name-literals-are-not-asked", literals_are_not_asked),
];

/// A resolver that gives these addresses, whatever the name.
#[derive(Debug)]
pub(super) struct Answers {
    delay: Duration,
    addresses: Vec<IpAddr>,
    asked: Mutex<Vec<String>>,
}

impl Answers {
    pub(super) fn at_once(addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        Answers {
            delay: Duration::ZERO,
            addresses: addresses.into_iter().collect(),
            asked: Mutex::default(),
        }
    }

    fn asked(&self) -> Vec<String> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl Resolve for Answers {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(host.to_owned());
        drop(asked);
        sleep(self.delay);
        Ok(self
            .addresses
            .iter()
            .map(|&ip| SocketAddr::new(ip, port))
            .collect())
    }
}

/// A resolver that does not answer until the check is over, as `getaddrinfo`
/// may do for minutes.
#[derive(Default)]
pub(super) struct Never {
    over: Mutex<bool>,
    changed: Condvar,
}

impl Never {
    /// Lets the threads end that still ask.
    pub(super) fn release(&self) {
        *self.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl fmt::Debug for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Never")
    }
}

impl Resolve for Never {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        // Not even a check that panics leaves a thread behind for ever.
        const LONGEST: Duration = Duration::from_secs(60);
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self
            .changed
            .wait_timeout_while(over, LONGEST, |over| !*over);
        Err(io::ErrorKind::TimedOut.into())
    }
}

/// A resolver that fails.
#[derive(Debug)]
struct Fails;

impl Resolve for Fails {
    fn resolve(&self, _host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        Err(io::Error::other("no such name"))
    }
}

fn resolved_by(resolver: Arc<dyn Resolve>, time: Duration) -> Options {
    Options {
        resolver,
        ..deadline(time)
    }
}

fn late(subject: &Subject) -> Check {
    let answers = Answers {
        delay: Duration::from_millis(300),
        ..Answers::at_once([Ipv4Addr::LOCALHOST.into()])
    };
    reaches(subject, Arc::new(answers))
}

/// Nothing listens at the first address, although it is one of this machine.
fn dead_address_first(subject: &Subject) -> Check {
    let dead = Ipv6Addr::LOCALHOST.into();
    let good = Ipv4Addr::LOCALHOST.into();
    reaches(subject, Arc::new(Answers::at_once([dead, dead, good])))?;
    if cfg!(target_os = "linux") {
        // Other systems do not have the whole of 127/8.
        let dead = Ipv4Addr::new(127, 0, 0, 2).into();
        reaches(subject, Arc::new(Answers::at_once([dead, good])))?;
    }
    passed()
}

fn reaches(subject: &Subject, resolver: Arc<dyn Resolve>) -> Check {
    let origin = start_origin()?;
    serve(&origin, "good", answer_after(Duration::ZERO))?;
    let url = format!("http://name.test:{}/case/good", origin.address().port());
    let fetched = subject.fetch(get(&url)?, &resolved_by(resolver, AMPLE))?;
    expect_body("the fetch", &fetched.result, b"ok")?;
    passed()
}

/// A name that is never resolved ends at the deadline, and does not hold up
/// another fetch.
fn never(subject: &Subject) -> Check {
    const SHORT: Duration = Duration::from_millis(500);
    let origin = start_origin()?;
    let good = serve(&origin, "good", answer_after(Duration::ZERO))?;
    let never = Arc::new(Never::default());
    let options = Options {
        max_in_flight: at_most(2),
        ..resolved_by(Arc::clone(&never) as _, SHORT)
    };
    let requests = get_all(&["http://name.test:8080/", &good])?;
    let called = subject.fetch_all(requests, &options);
    never.release();
    let mut called = called?;
    expect_body("fetch 1", &called.result[1], b"ok")?;
    let unresolved = Timed {
        result: called.result.swap_remove(0),
        elapsed: called.elapsed,
    };
    expect_timeout("fetch 0", &unresolved, SHORT)?;
    passed()
}

fn only_dead_addresses(subject: &Subject) -> Check {
    let dead = RefusingPort::reserve().map_err(|error| error.to_string())?;
    let answers = Answers::at_once([Ipv6Addr::LOCALHOST.into(), Ipv4Addr::LOCALHOST.into()]);
    let url = format!("http://name.test:{}/", dead.address().port());
    let fetched = subject.fetch(get(&url)?, &resolved_by(Arc::new(answers), AMPLE))?;
    expect_kind("the fetch", &fetched.result, ErrorKind::ConnectRefused)?;
    passed()
}

fn without_address(subject: &Subject) -> Check {
    let options = resolved_by(Arc::new(Answers::at_once([])), AMPLE);
    let fetched = subject.fetch(get("http://name.test:8080/")?, &options)?;
    expect_kind(
        "a name without an address",
        &fetched.result,
        ErrorKind::DnsFailure,
    )?;
    passed()
}

fn error(subject: &Subject) -> Check {
    let options = resolved_by(Arc::new(Fails), AMPLE);
    let fetched = subject.fetch(get("http://name.test:8080/")?, &options)?;
    expect_kind(
        "a name that the resolver does not know",
        &fetched.result,
        ErrorKind::DnsFailure,
    )?;
    passed()
}

/// The resolver is asked for the name, in lower case, and one connection is
/// made although there are two addresses.
fn asked_once(subject: &Subject) -> Check {
    let origin = start_origin()?;
    serve(&origin, "good", answer_after(Duration::ZERO))?;
    let good = Ipv4Addr::LOCALHOST.into();
    let answers = Arc::new(Answers::at_once([good, good]));
    let url = format!("http://Name.Test:{}/case/good", origin.address().port());
    let options = resolved_by(Arc::clone(&answers) as _, AMPLE);
    let fetched = subject.fetch(get(&url)?, &options)?;
    expect_body("the fetch", &fetched.result, b"ok")?;
    if answers.asked() != ["name.test"] {
        return Err(format!("the resolver was asked for {:?}", answers.asked()));
    }
    match connections_made(&origin)? {
        1 => passed(),
        count => Err(format!("{count} connections were made for one fetch")),
    }
}

fn literals_are_not_asked(subject: &Subject) -> Check {
    let origin = start_origin()?;
    let url = serve(&origin, "good", answer_after(Duration::ZERO))?;
    let fetched = subject.fetch(get(&url)?, &resolved_by(Arc::new(Fails), AMPLE))?;
    expect_body("an address in the URL", &fetched.result, b"ok")?;
    passed()
}
