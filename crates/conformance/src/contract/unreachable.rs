//! An address where a connection is neither made nor refused.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

/// Listens, accepts nothing, and its backlog is full: the system then drops
/// what would open a further connection, and the client waits.
pub(super) struct Unreachable {
    _listener: Socket,
    _backlog: Vec<TcpStream>,
    pub(super) address: SocketAddr,
}

impl Unreachable {
    /// At `address`; with port 0 the system chooses one.
    ///
    /// # Errors
    ///
    /// In words: this system does not behave so. Windows refuses instead, and
    /// the other systems each have their own idea of a full backlog.
    pub(super) fn at(address: SocketAddr) -> Result<Unreachable, String> {
        if !cfg!(target_os = "linux") {
            return Err("not measured here: connections that hang need Linux".into());
        }
        Self::fill(address).map_err(|error| format!("no full backlog: {error}"))
    }

    fn fill(address: SocketAddr) -> std::io::Result<Unreachable> {
        const TRIES: usize = 16;
        let listener = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        listener.bind(&address.into())?;
        listener.listen(0)?;
        let bound = listener.local_addr()?.as_socket();
        let address = bound.ok_or(std::io::ErrorKind::AddrNotAvailable)?;
        let mut backlog = Vec::new();
        for _ in 0..TRIES {
            match TcpStream::connect_timeout(&address, Duration::from_millis(200)) {
                Ok(stream) => backlog.push(stream),
                Err(_) => {
                    return Ok(Unreachable {
                        _listener: listener,
                        _backlog: backlog,
                        address,
                    });
                }
            }
        }
        Err(std::io::Error::other("it takes every connection"))
    }
}
