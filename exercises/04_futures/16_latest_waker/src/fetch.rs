//! A fetch that blocks, made into a future. Given: there is nothing to change
//! here.

use std::io;
use std::thread;

use fetch_core::{FetchError, OnError, Options, Request, Response};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

use crate::desk::{Answer, desk};

/// Fetches `request` as stage 1 does, on a thread of its own.
///
/// When does that end? With the fetch, at the latest at its deadline. Who
/// cancels it? Nobody. Who receives its result? The future that this gives, if
/// it is still there. What bounds the number? The caller.
///
/// # Errors
///
/// The system has no thread left.
pub fn fetch_elsewhere(request: Request) -> io::Result<Answer<Result<Response, FetchError>>> {
    let (answer, reply) = desk();
    thread::Builder::new()
        .name("elsewhere".to_owned())
        .spawn(move || {
            let group = Group::new(OnError::Finish);
            reply.hand_in(fetch(0, &request, &Options::default(), &group));
        })?;
    Ok(answer)
}
