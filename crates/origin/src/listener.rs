//! Binding listeners, several addresses on one port.

use std::io;
use std::net::SocketAddr;

use mio::net::TcpListener;
use socket2::{Domain, Protocol, Socket, Type};

/// Connections that the system may hold for us until we accept them. A crowd
/// arrives at once; what does not fit is dropped and retried a second later.
const BACKLOG: i32 = 4096;

/// How often another port is tried where one that the system chose for the
/// first address is taken on a further one.
const PORTS_TRIED: usize = 16;

/// Listens on all the addresses; those with port 0 share the first one's port.
pub(crate) fn bind(addresses: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    let Some((first, others)) = addresses.split_first() else {
        let error = "no address to listen on";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, error));
    };
    for _ in 1..PORTS_TRIED {
        match bind_all(*first, others) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && first.port() == 0 => {}
            result => return result,
        }
    }
    bind_all(*first, others)
}

/// The address of the first listener.
pub(crate) fn address(listeners: &[TcpListener]) -> io::Result<SocketAddr> {
    let first = listeners.first().ok_or(io::ErrorKind::InvalidInput)?;
    first.local_addr()
}

fn bind_all(first: SocketAddr, others: &[SocketAddr]) -> io::Result<Vec<TcpListener>> {
    let mut listeners = vec![bind_one(first)?];
    let port = address(&listeners)?.port();
    for other in others {
        let mut other = *other;
        if other.port() == 0 {
            other.set_port(port);
        }
        listeners.push(bind_one(other)?);
    }
    Ok(listeners)
}

fn bind_one(address: SocketAddr) -> io::Result<TcpListener> {
    let named = |error: io::Error| {
        io::Error::new(error.kind(), format!("cannot listen on {address}: {error}"))
    };
    let open = || {
        let domain = Domain::for_address(address);
        let socket = Socket::new(domain, Type::STREAM, Some(Protocol::TCP))?;
        // Without this, a port stays unusable for a minute after a server that
        // closed connections itself. On Windows it would mean something else:
        // stealing a port in use.
        #[cfg(unix)]
        socket.set_reuse_address(true)?;
        if address.is_ipv6() {
            socket.set_only_v6(true)?;
        }
        socket.bind(&address.into())?;
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        Ok(TcpListener::from_std(socket.into()))
    };
    open().map_err(named)
}
