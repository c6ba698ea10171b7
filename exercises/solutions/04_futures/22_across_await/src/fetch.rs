//! Yours: the fetch.

use std::rc::Rc;

use bytes::Bytes;
use fetch_core::{FetchError, Request, Response};
use stage4_hand_rolled_future::reactor::Reactor;
use stage4_hand_rolled_future::tcp::TcpStream;

use crate::Draft;
use crate::wire::{receive, send};

/// Fetches `request`, whose host is an IP address. The request goes out in one
/// piece, if it is not too long for that.
///
/// # Errors
///
/// A host that is a name, a connection that fails, a response that is wrong.
pub async fn fetch(reactor: Rc<Reactor>, request: Request) -> Result<Response, FetchError> {
    let address = request.literal_address();
    let address = address.ok_or_else(|| FetchError::InvalidRequest {
        reason: "the host has to be an IP address".to_owned(),
    })?;
    let connected = TcpStream::connect(&reactor, 0, address).await;
    let stream = connected.map_err(|e| FetchError::connecting(&request.authority(), &e))?;

    let mut outgoing = request.encode();
    let in_one_piece = {
        // Its end is the block's: what has been borrowed keeps its place in the
        // future until its scope ends, even if it has been dropped before.
        let mut draft = Draft::new();
        draft.write(&mut outgoing);
        Bytes::copy_from_slice(draft.bytes())
    };

    send(&stream, in_one_piece).await?;
    send(&stream, outgoing).await?;
    receive(&stream, &request).await
}
