//! The servers that cases and checks talk to.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use origin::{Config, Origin, Script};
use socket2::{Domain, Socket, Type};

/// How long the origin may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many connections were made to `origin`, also those that were closed before it
/// has seen them. [`Origin::accepted`] alone may not have heard of the last ones yet.
/// Connections are accepted in the order in which they are made, so when one more is
/// answered, all others have been counted. That one is not, but by a second call.
///
/// # Errors
///
/// The origin does not answer.
pub fn connections_made(origin: &Origin) -> Result<u64, String> {
    let asked = || -> io::Result<()> {
        let mut one_more = TcpStream::connect(origin.address())?;
        one_more.set_read_timeout(Some(PATIENCE))?;
        one_more
            .write_all(b"GET /bytes/1 HTTP/1.1\r\nHost: origin\r\nConnection: close\r\n\r\n")?;
        one_more.read_to_end(&mut Vec::new()).map(|_| ())
    };
    asked().map_err(|error| format!("the origin does not answer: {error}"))?;
    Ok(origin.accepted() - 1)
}

/// The servers that all cases of a process share.
pub(crate) struct Servers {
    pub(crate) origin: Origin,
    /// On 127.0.0.1 and, if `ipv6`, on the same port of ::1.
    pub(crate) echo: SocketAddr,
    pub(crate) ipv6: bool,
    pub(crate) refused: RefusingPort,
}

impl Servers {
    /// Starts them, the first time.
    pub(crate) fn shared() -> Result<&'static Servers, String> {
        static SHARED: LazyLock<Result<Servers, String>> =
            LazyLock::new(|| Servers::start().map_err(|e| format!("no server to test with: {e}")));
        SHARED.as_ref().map_err(Clone::clone)
    }

    fn start() -> io::Result<Servers> {
        let origin = Origin::start(Config::default())?;
        let v4 = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let v6 = SocketAddr::from((Ipv6Addr::LOCALHOST, 0));
        let (echo, ipv6) = match origin.listen_on(&[v4, v6], Script::echo()) {
            Ok(echo) => (echo, true),
            Err(_) => (origin.listen(Script::echo())?, false),
        };
        Ok(Servers {
            origin,
            echo,
            ipv6,
            refused: RefusingPort::reserve()?,
        })
    }
}

/// A port on which nothing listens, and nothing will: it is bound, but does
/// not listen. A port that was merely free a moment ago may be taken by
/// another test.
pub struct RefusingPort {
    _bound: Socket,
    address: SocketAddr,
}

impl RefusingPort {
    /// Takes a port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// No port or descriptor is left.
    pub fn reserve() -> io::Result<RefusingPort> {
        let bound = Socket::new(Domain::IPV4, Type::STREAM, None)?;
        bound.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into())?;
        let address = bound.local_addr()?.as_socket();
        Ok(RefusingPort {
            _bound: bound,
            address: address.ok_or(io::ErrorKind::AddrNotAvailable)?,
        })
    }

    /// The address that refuses.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Whether something listens on port 80 of this machine.
pub(crate) fn port_80_is_taken() -> bool {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}
