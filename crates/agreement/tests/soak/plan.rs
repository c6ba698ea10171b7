//! What is fetched, and what must come of it.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use agreement::Random;
use bytes::Bytes;
use conformance::{Fetched, RefusingPort};
use fetch_core::{ErrorKind, OnError, Options, Request, Resolve};
use origin::Origin;

use crate::scripts::{Outcome, ending, stalling};

/// Far more than any of these needs, so that only a stall meets it.
const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(150);

/// The servers that all groups use.
pub(crate) struct Servers {
    origin: SocketAddr,
    refusing: RefusingPort,
    /// By name: scripts that end by themselves.
    ending: Vec<(&'static str, Outcome)>,
    /// And scripts that never do.
    stalling: Vec<&'static str>,
}

impl Servers {
    pub(crate) fn start(origin: &Origin) -> Result<Servers, String> {
        let mut servers = Servers {
            origin: origin.address(),
            refusing: RefusingPort::reserve().map_err(|error| error.to_string())?,
            ending: Vec::new(),
            stalling: Vec::new(),
        };
        for (name, script, outcome) in ending() {
            origin
                .script(name, script)
                .map_err(|error| error.to_string())?;
            servers.ending.push((name, outcome));
        }
        for (name, script) in stalling() {
            origin
                .script(name, script)
                .map_err(|error| error.to_string())?;
            servers.stalling.push(name);
        }
        Ok(servers)
    }
}

/// The requests of one call to a stage.
pub(crate) struct Group {
    planned: Vec<Planned>,
    options: Options,
}

pub(crate) struct Planned {
    request: Request,
    outcome: Outcome,
}

impl Group {
    pub(crate) fn any(servers: &Servers, random: &mut Random) -> Result<Group, String> {
        let names = Names {
            dead: servers.refusing.address(),
            live: servers.origin,
        };
        let mut options = Options {
            deadline: LONG,
            max_in_flight: NonZeroUsize::MIN.saturating_add(random.below(100)),
            resolver: Arc::new(names),
            ..Options::default()
        };
        let mut planned = Vec::new();
        match random.below(4) {
            // All that stalls runs into its deadline.
            0 => {
                options.deadline = SHORT;
                options.max_in_flight = NonZeroUsize::MIN.saturating_add(99);
                for _ in 0..=random.below(50) {
                    let name = random.pick(&servers.stalling);
                    planned.push(Planned::script(
                        servers,
                        name,
                        Err(ErrorKind::Timeout),
                        random,
                    )?);
                }
            }
            // One is refused and ends all others, which would never end: those
            // that have begun as well as those that wait for their turn.
            1 => {
                options.on_error = OnError::CancelOthers;
                for _ in 0..=random.below(80) {
                    let name = random.pick(&servers.stalling);
                    planned.push(Planned::script(
                        servers,
                        name,
                        Err(ErrorKind::Cancelled),
                        random,
                    )?);
                }
                // Among those that begin at once, or nobody ever fails.
                let first = planned.len().min(options.max_in_flight.get());
                planned.insert(random.below(first), Planned::refused(servers)?);
            }
            _ => {
                for _ in 0..=random.below(120) {
                    planned.push(match random.once_in(10) {
                        true => Planned::refused(servers)?,
                        false => {
                            let (name, outcome) = random.pick(&servers.ending);
                            Planned::script(servers, name, *outcome, random)?
                        }
                    });
                }
            }
        }
        Ok(Group { planned, options })
    }

    pub(crate) fn len(&self) -> usize {
        self.planned.len()
    }

    pub(crate) fn planned(&self) -> impl Iterator<Item = &Planned> {
        self.planned.iter()
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.planned()
            .map(|planned| planned.request.clone())
            .collect()
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }
}

impl Planned {
    /// Now and then by name, and with a body.
    fn script(
        servers: &Servers,
        script: &str,
        outcome: Outcome,
        random: &mut Random,
    ) -> Result<Planned, String> {
        let host = match random.once_in(8) {
            true => format!("twice.test:{}", servers.origin.port()),
            false => servers.origin.to_string(),
        };
        let url = format!("http://{host}/case/{script}");
        let (method, body) = match random.once_in(4) {
            true => ("POST", Bytes::from(vec![b'b'; random.below(200_000)])),
            false => ("GET", Bytes::new()),
        };
        let no_fields: [(&str, &str); 0] = [];
        let request = Request::new(method, &url, no_fields, body);
        let request = request.map_err(|error| error.to_string())?;
        Ok(Planned { request, outcome })
    }

    fn refused(servers: &Servers) -> Result<Planned, String> {
        let request = Request::get(&format!("http://{}/", servers.refusing.address()));
        Ok(Planned {
            request: request.map_err(|error| error.to_string())?,
            outcome: Err(ErrorKind::ConnectRefused),
        })
    }

    pub(crate) fn expects(&self, fetched: &Fetched) -> bool {
        let outcome = fetched.as_ref().map(|response| response.body().len());
        outcome.map_err(|error| error.kind()) == self.outcome
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { request, outcome } = self;
        write!(
            f,
            "{} {} must be {outcome:?}",
            request.method(),
            request.url()
        )
    }
}

/// Every name has two addresses, and the first of them is dead.
#[derive(Debug)]
struct Names {
    dead: SocketAddr,
    live: SocketAddr,
}

impl Resolve for Names {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![self.dead, self.live])
    }
}
