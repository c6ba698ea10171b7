//! Jobs for the pool. Given: there is nothing to change here.

use std::io;
use std::num::NonZeroUsize;
use std::sync::mpsc;

use fetch_core::{OnError, Options, Request};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;

use crate::Pool;

/// The first byte of the page behind each request, in the order of the
/// requests; `None` where there is none to be had.
///
/// # Errors
///
/// The system has no thread left.
pub fn first_bytes(requests: Vec<Request>, workers: NonZeroUsize) -> io::Result<Vec<Option<u8>>> {
    let mut bytes = vec![None; requests.len()];
    let pool = Pool::new(workers, workers)?;
    let (tell, told) = mpsc::channel();
    for (index, request) in requests.into_iter().enumerate() {
        let tell = tell.clone();
        pool.submit(move || {
            let group = Group::new(OnError::Finish);
            if let Ok(response) = fetch(index, &request, &Options::default(), &group) {
                // Whoever wrote this had never seen an empty page.
                let _ = tell.send((index, response.body()[0]));
            }
        });
    }
    pool.shutdown();
    drop(tell);
    for (index, byte) in told {
        bytes[index] = Some(byte);
    }
    Ok(bytes)
}
