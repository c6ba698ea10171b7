//! The same fetch with reqwest.
//!
//! One call sends the request and another gives the next piece of the body;
//! connecting, parsing and framing happen inside. What is left to write is what
//! makes its results those of the other stages: options that switch off what
//! we did not ask for, limits that it does not have, and names for its errors.
//!
//! Three differences remain. Two are outside the contract. A server that answers
//! before it has been asked gets an answer through only if our request is
//! quicker (`io` otherwise). And if one address of a name refuses and another is
//! silent, hyper reports the error of the first, and we that of the last.
//!
//! The third is at the deadline, and cannot be mended from out here. From a
//! server that floods us with what brings the response no further, interim
//! heads or the zeros of a chunk size, hyper reads until tokio makes it stop:
//! after 128 reads of up to 417,792 bytes each. Only then does the timer run,
//! on this one thread, and with it everything else: a `timeout` that comes up
//! to two seconds late (ten times that without optimization).

mod errors;
mod names;

use std::pin::pin;

use fetch_core::wait::{By, On};
use fetch_core::{FetchError, Options, Request, Response, limits};
use reqwest::header::HeaderMap;

use self::errors::Phase;
use self::names::Names;
use crate::trace::{Lifetime, traced};

/// A client that fetches as the other stages do: one connection a fetch, and
/// no proxy, redirect, retry or header that was not asked for.
///
/// # Errors
///
/// `io`, if reqwest cannot be set up.
pub fn client(options: &Options) -> Result<reqwest::Client, FetchError> {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .http1_only()
        .http1_max_headers(limits::HEADERS)
        .http1_allow_obsolete_multiline_headers_in_responses(true)
        .pool_max_idle_per_host(0)
        .timeout(options.deadline)
        // Not a second deadline: hyper divides this one among the addresses of
        // a name, so that one which never answers leaves time for the next.
        .connect_timeout(options.deadline)
        .dns_resolver(Names::new(options))
        .build()
        .map_err(|error| FetchError::Io {
            reason: format!("while setting reqwest up: {error}"),
        })
}

/// Fetches `request` with `client`, which [`client`] made of the same
/// `options`. As lazy as any other `async fn`, and cancelled by dropping it.
///
/// # Errors
///
/// As [`crate::fetch::fetch`].
///
/// # Panics
///
/// If it is polled outside of a tokio runtime that has I/O and time enabled.
pub async fn fetch(
    client: &reqwest::Client,
    id: usize,
    request: &Request,
    options: &Options,
) -> Result<Response, FetchError> {
    let lifetime = Lifetime::start(id);
    // Which of its phases a fetch waits in cannot be told from out here.
    let exchange = pin!(exchange(client, request, options));
    let result = traced(id, On::Reqwest, By::Waker, exchange).await;
    connection_closed().await;
    lifetime.finish(&result);
    result
}

/// Waits until what was dropped just now is closed.
///
/// reqwest gives each connection a task of its own. If a fetch ends early, that
/// task is woken, and closes the connection when it runs; a next fetch that
/// began before that would be one too many. A current-thread runtime runs tasks
/// in the order in which they were woken, so the task below runs after it.
async fn connection_closed() {
    // When does it end? At its first poll. Who cancels it? Nobody needs to. Who
    // receives its result? This line. What bounds their number? One a fetch.
    let _ = tokio::spawn(async {}).await;
}

async fn exchange(
    client: &reqwest::Client,
    request: &Request,
    options: &Options,
) -> Result<Response, FetchError> {
    let judge = |phase| move |error| errors::judge(&error, phase, request, options);
    let mut response = client
        .execute(to_reqwest(request)?)
        .await
        .map_err(judge(Phase::Head))?;

    check_size(response.headers())?;
    let too_large = FetchError::BodyTooLarge {
        limit: options.max_body_bytes,
    };
    // The announced length, if there is one and a body to which it applies.
    if response.content_length() > Some(options.max_body_bytes) {
        return Err(too_large);
    }
    let mut body = Vec::new();
    // `Response::bytes` would be one line, and has no limit.
    while let Some(chunk) = response.chunk().await.map_err(judge(Phase::Body))? {
        if body.len() as u64 + chunk.len() as u64 > options.max_body_bytes {
            return Err(too_large);
        }
        body.extend_from_slice(&chunk);
    }

    let mut complete = Response::new(body.into());
    *complete.status_mut() = response.status();
    *complete.version_mut() = response.version();
    *complete.headers_mut() = std::mem::take(response.headers_mut());
    Ok(complete)
}

/// All fields are set, also those that reqwest or hyper would add: they leave
/// alone what is there, and so the bytes on the wire are those of every stage.
fn to_reqwest(request: &Request) -> Result<reqwest::Request, FetchError> {
    let url = reqwest::Url::parse(request.url()).map_err(|error| FetchError::InvalidUrl {
        url: request.url().to_owned(),
        reason: error.to_string(),
    })?;
    let mut converted = reqwest::Request::new(request.method().clone(), url);
    *converted.headers_mut() = request.headers().clone();
    if !request.body().is_empty() {
        *converted.body_mut() = Some(request.body().clone().into());
    }
    Ok(converted)
}

/// hyper limits the number of fields and the bytes it buffers, but not this
/// sum, which the other stages judge after the framing.
fn check_size(headers: &HeaderMap) -> Result<(), FetchError> {
    let bytes: usize = headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len())
        .sum();
    if bytes > limits::HEADER_MAP_BYTES {
        return Err(FetchError::HeadTooLarge {
            reason: format!(
                "{bytes} bytes of fields, and {} are allowed",
                limits::HEADER_MAP_BYTES
            ),
        });
    }
    Ok(())
}
