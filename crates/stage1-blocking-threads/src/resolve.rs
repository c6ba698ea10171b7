//! Names to addresses, within a deadline.
//!
//! `getaddrinfo` blocks for as long as it likes and takes no timeout. The only
//! way to stop waiting for it is to let another thread do so.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, mpsc};
use std::thread;

use fetch_core::wait::{self, By, On};
use fetch_core::{FetchError, Options, Request};

use crate::clock::Clock;
use crate::group::Group;

/// What ends the wait for a name.
#[derive(Debug)]
pub enum Heard {
    /// The resolver has answered.
    Answer(io::Result<Vec<SocketAddr>>),
    /// Another fetch of the group failed.
    Cancelled,
}

/// The addresses of the request's host. Blocks, unless the URL has an address.
///
/// # Errors
///
/// `dns-failure`, `timeout`, `cancelled`, `resources`.
pub fn resolve(
    id: usize,
    request: &Request,
    options: &Options,
    clock: Clock,
    group: &Group,
) -> Result<Vec<SocketAddr>, FetchError> {
    if let Some(address) = request.literal_address() {
        return Ok(vec![address]);
    }
    let (tell, listen) = mpsc::channel();
    let _registration = group.register_resolver(id, &tell)?;
    let resolver = Arc::clone(&options.resolver);
    let (host, port) = (request.host(), request.port());

    wait::waiting(id, On::Name);
    // When does it end? When the resolver returns, which may be after its
    // fetch. Who cancels it? Nobody can. Who receives its result? This thread,
    // if it still listens. What bounds their number? `max_in_flight`, as long
    // as the resolver answers within the deadline; it holds no socket.
    thread::Builder::new()
        .name("resolver".to_owned())
        .spawn(move || drop(tell.send(Heard::Answer(resolver.resolve(&host, port)))))
        .map_err(|error| FetchError::no_thread(&error))?;
    let heard = listen.recv_timeout(clock.remaining()?);
    wait::woken(id, By::Resolver);
    wait::resumed(id);

    group.check()?;
    match heard {
        Ok(Heard::Answer(Ok(addresses))) => Ok(addresses),
        Ok(Heard::Answer(Err(error))) => Err(FetchError::resolving(&request.host(), &error)),
        Ok(Heard::Cancelled) => Err(FetchError::Cancelled),
        Err(_) => {
            clock.remaining()?;
            Err(FetchError::resolving(
                &request.host(),
                &io::Error::other("the resolver panicked"),
            ))
        }
    }
}
