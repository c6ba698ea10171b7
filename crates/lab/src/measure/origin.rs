//! The origin server in a process of its own, and what the lab asks of its
//! journal.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant, SystemTime};

use origin::{Config, Origin, Script};
use serde_json::{Value, json};

use crate::failure::{During, Failure, Outcome};
use crate::measure::parameters::Parameters;
use crate::measure::peer::{Peer, myself};
use crate::measure::protocol::{Talk, say};

/// How long an answer may take; the journal of 100,000 connections is long.
const PATIENCE: Duration = Duration::from_secs(20);
/// After how long the script `/case/fail` resets its connection.
pub(crate) const FAILS_AFTER: Duration = Duration::from_millis(100);

/// The lab's side.
pub(crate) struct OriginProcess {
    peer: Peer,
    /// One for each address that it listens on.
    urls: Vec<String>,
}

/// What the journal knows of one connection. Times are in µs since the epoch.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) target: String,
    pub(crate) opened_us: f64,
    pub(crate) client_left_us: Option<f64>,
    pub(crate) response_done_us: Option<f64>,
}

impl OriginProcess {
    pub(crate) fn start() -> Outcome<Self> {
        let command = myself("origin", "server", &Parameters::new())?;
        let mut peer = Peer::spawn("the origin server", command)?;
        let listening = peer.json(PATIENCE)?;
        let urls = listening["urls"].as_array().during("the origin's URLs")?;
        let urls = urls.iter().filter_map(|url| Some(url.as_str()?.to_owned()));
        Ok(OriginProcess {
            urls: urls.collect(),
            peer,
        })
    }

    /// Where it listens first.
    pub(crate) fn url(&self) -> &str {
        self.urls.first().map_or("", String::as_str)
    }

    /// All addresses, for a crowd: a client has only so many ports for each.
    pub(crate) fn urls(&self) -> String {
        self.urls.join(",")
    }

    /// Forgets what it has seen.
    pub(crate) fn reset(&mut self) -> Outcome<()> {
        self.ask("reset").map(|_| ())
    }

    /// The most connections in flight at once since the reset.
    pub(crate) fn peak_in_flight(&mut self) -> Outcome<usize> {
        let peak = self.ask("peak")?.as_u64().during("the origin's peak")?;
        usize::try_from(peak).during("the origin's peak")
    }

    /// Connections that are open now.
    pub(crate) fn open(&mut self) -> Outcome<u64> {
        self.ask("open")?.as_u64().during("open connections")
    }

    /// Waits until `n` were in flight at once. Whether that came to pass.
    pub(crate) fn wait_for(&mut self, n: usize, limit: Duration) -> Outcome<bool> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if self.peak_in_flight()? >= n {
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(false)
    }

    /// Waits until nobody is connected, so that one run leaves nothing to the
    /// next.
    pub(crate) fn wait_until_idle(&mut self, limit: Duration) -> Outcome<()> {
        let end = Instant::now() + limit;
        while self.open()? > 0 {
            if Instant::now() > end {
                return Err(Failure::new("connections are left open"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    /// The connections since the reset.
    pub(crate) fn journal(&mut self) -> Outcome<Vec<Seen>> {
        let journal = self.ask("journal")?;
        let entries = journal.as_array().during("the origin's journal")?;
        let seen = entries.iter().map(|entry| {
            Some(Seen {
                target: entry["target"].as_str().unwrap_or("").to_owned(),
                opened_us: entry["opened_us"].as_f64()?,
                client_left_us: entry["client_left_us"].as_f64(),
                response_done_us: entry["response_done_us"].as_f64(),
            })
        });
        let seen: Option<Vec<_>> = seen.collect();
        seen.during("a field in the origin's journal")
    }

    fn ask(&mut self, what: &str) -> Outcome<Value> {
        self.peer.tell(what)?;
        self.peer.json(PATIENCE)
    }
}

/// The origin's side: `lab origin server`.
pub(crate) fn serve() -> Outcome<()> {
    let talk = Talk::start()?;
    let also = if cfg!(target_os = "linux") {
        // All of 127.0.0.0/8 is this machine; elsewhere only its first address.
        (2..=4)
            .map(|last| IpAddr::V4(Ipv4Addr::new(127, 0, 0, last)))
            .collect()
    } else {
        Vec::new()
    };
    let config = Config {
        also,
        ..Config::default()
    };
    let mut addresses = vec![config.address.ip()];
    addresses.extend(&config.also);
    let origin = Origin::start(config).during("starting the origin")?;
    let fail = Script::new().expect_request().pause(FAILS_AFTER).reset();
    origin.script("fail", fail).during("a script")?;
    let port = origin.address().port();
    let urls: Vec<_> = addresses
        .iter()
        .map(|ip| format!("http://{ip}:{port}"))
        .collect();
    say(&json!({ "urls": urls }).to_string());
    while let Some(line) = talk.line() {
        let answer = match line.as_str() {
            "reset" => {
                origin.clear_journal();
                Value::Null
            }
            "peak" => json!(origin.peak_in_flight()),
            "open" => json!(origin.open_connections()),
            "journal" => journal(&origin),
            _ => break,
        };
        say(&answer.to_string());
    }
    Ok(())
}

fn journal(origin: &Origin) -> Value {
    let (now, system) = (Instant::now(), SystemTime::now());
    let us = |moment: Instant| {
        let then = system - now.saturating_duration_since(moment);
        let since = then
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        since.as_micros() as f64
    };
    let entry = |seen: &origin::Connection| {
        json!({
            "target": seen.target,
            "opened_us": us(seen.opened),
            "client_left_us": seen.client_left_at.map(us),
            "response_done_us": seen.response_done_at.map(us),
        })
    };
    origin.journal().iter().map(entry).collect()
}

/// This moment, as the journal gives them.
pub(crate) fn now_us() -> f64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_micros() as f64
}
