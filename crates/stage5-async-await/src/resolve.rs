//! Names to addresses: the one call that blocks all the same.
//!
//! `getaddrinfo` is no future, and making it one does not change what it does.
//! Called here it would stop the thread, and with it every other fetch; so a
//! thread of tokio's pool for such calls waits in our place.

use std::io;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;

use fetch_core::wait::{By, On};
use fetch_core::{FetchError, Options, Request, Resolve};
use tokio::task::spawn_blocking;

use crate::trace::traced;

/// The addresses of the request's host. Waits, unless the URL has an address.
///
/// # Errors
///
/// `dns-failure`, `resources`.
pub async fn resolve(
    id: usize,
    request: &Request,
    options: &Options,
) -> Result<Vec<SocketAddr>, FetchError> {
    if let Some(address) = request.literal_address() {
        return Ok(vec![address]);
    }
    let answer = pin!(look_up(&options.resolver, request.host(), request.port()));
    traced(id, On::Name, By::Resolver, answer).await
}

/// Calls the resolver on a thread that may block.
///
/// # Errors
///
/// As [`resolve`].
pub(crate) async fn look_up(
    resolver: &Arc<dyn Resolve>,
    host: String,
    port: u16,
) -> Result<Vec<SocketAddr>, FetchError> {
    let call = {
        let (resolver, host) = (Arc::clone(resolver), host.clone());
        move || resolver.resolve(&host, port)
    };
    // When does it end? When the resolver returns, which may be after its
    // fetch. Who cancels it? Nobody, once it runs; dropping this future only
    // stops listening. Who receives its result? This future, if it still
    // exists. What bounds their number? `max_in_flight`, as long as the
    // resolver answers within the deadline, and tokio's 512 blocking threads;
    // it holds no socket.
    let answer = catch_unwind(AssertUnwindSafe(|| spawn_blocking(call)))
        // tokio panics if the system has not even one thread to give.
        .map_err(|_panic| FetchError::no_thread(&io::Error::other("tokio's pool has none")))?;
    match answer.await {
        Ok(Ok(addresses)) if !addresses.is_empty() => Ok(addresses),
        Ok(Ok(_none)) => Err(io::ErrorKind::NotFound.into()),
        Ok(Err(error)) => Err(error),
        Err(_panicked) => Err(io::Error::other("the resolver panicked")),
    }
    .map_err(|error: io::Error| FetchError::resolving(&host, &error))
}
