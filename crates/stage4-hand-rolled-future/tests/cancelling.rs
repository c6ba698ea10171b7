//! The first failure ends the others, also those that are about to run.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::net::TcpListener;

use fetch_core::{ErrorKind, OnError, Options, Request, Stage};
use stage4_hand_rolled_future::{HandRolledFuture, Written};

#[test]
fn the_first_failure_is_the_only_one() {
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    // All are refused at once, so all are woken in one turn of the reactor.
    let request = Request::get(&format!("http://127.0.0.1:{port}/")).unwrap();
    let options = Options {
        on_error: OnError::CancelOthers,
        ..Options::default()
    };
    for fetch in [Written::ByHand, Written::ByCompiler] {
        let results = HandRolledFuture { fetch }.fetch_all(vec![request.clone(); 50], &options);
        let kinds = results
            .iter()
            .map(|result| result.as_ref().unwrap_err().kind());
        let (cancelled, own): (Vec<_>, Vec<_>) =
            kinds.partition(|kind| *kind == ErrorKind::Cancelled);
        assert_eq!(own, [ErrorKind::ConnectRefused], "{fetch:?}");
        assert_eq!(cancelled.len(), 49);
    }
}
