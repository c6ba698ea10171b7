//! The fetch as `async fn`: stage 1's text, with `.await` where it blocked.
//!
//! The compiler turns each of these functions into an enum like the one in
//! [`by_hand`](crate::by_hand): a variant for each `.await`, holding what is
//! still needed after it. Or a little more than that, and so three places here
//! differ from stage 1's text, each with the reason beside it. Without them this
//! future would be half as large again (`examples/sizes.rs`).

use std::future::Future;
use std::rc::Rc;

use bytes::BytesMut;
use fetch_core::{BodyDecoder, FetchError, HeadParser, Options, Request, Response, ResponseHead};

use crate::clock::Clock;
use crate::connection::Connection;
use crate::lane::Lane;
use crate::reactor::Reactor;
use crate::timeout::Timeout;

/// Fetches `request`. Nothing happens before the first poll, and dropping the
/// future at any time closes its connection.
///
/// It owns all it uses, so that it can be a task: the function that starts a
/// task returns while the task goes on.
///
/// # Errors
///
/// Any [`FetchError`] but those that [`Request::new`] finds.
#[expect(
    clippy::manual_async_fn,
    reason = "an async fn would keep the request twice, as argument and as variable (rust#62958)"
)]
pub fn fetch(
    id: usize,
    request: Request,
    options: Rc<Options>,
    reactor: Rc<Reactor>,
) -> impl Future<Output = Result<Response, FetchError>> {
    async move {
        let mut lane = Lane::start(id);
        let clock = Clock::start(&options);
        let exchange = exchange(id, &request, &options, &clock, &reactor);
        let result = match Timeout::at(&reactor, id, clock.end(), exchange).await {
            Some(result) => result,
            None => Err(clock.timeout()),
        };
        lane.finish(&result);
        result
    }
}

async fn exchange(
    id: usize,
    request: &Request,
    options: &Options,
    clock: &Clock,
    reactor: &Rc<Reactor>,
) -> Result<Response, FetchError> {
    // In a box, which goes when there is a connection. As a field it would have
    // its room here until the response is complete.
    let mut connection = Box::pin(Connection::open(id, request, options, clock, reactor)).await?;
    connection.send_request().await;

    let mut buffer = BytesMut::new();
    let head = read_head(&mut connection, &mut buffer).await?;
    let mut body = BodyDecoder::new(request.method(), &head, options.max_body_bytes)?;
    read_body(&mut connection, &mut buffer, &mut body).await?;
    Ok(head.into_response(body))
}

/// Reads until the head is complete. How far it has come is kept in the future
/// that this function returns: two references, a parser, and the number of the
/// `.await`.
async fn read_head(
    connection: &mut Connection,
    buffer: &mut BytesMut,
) -> Result<ResponseHead, FetchError> {
    let mut parser = HeadParser::new();
    loop {
        if let Some(head) = parser.parse(buffer)? {
            return Ok(head);
        }
        if connection.read(buffer, FetchError::reading_head).await? == 0 {
            return Err(FetchError::closed_before_head());
        }
    }
}

/// Reads until the body is complete. The decoder is the caller's: taken by value,
/// as in stage 1, it would be kept twice, as argument and as variable.
async fn read_body(
    connection: &mut Connection,
    buffer: &mut BytesMut,
    body: &mut BodyDecoder,
) -> Result<(), FetchError> {
    while !body.decode(buffer)? {
        if connection.read(buffer, FetchError::reading_body).await? == 0 {
            body.end_of_input()?;
            break;
        }
    }
    Ok(())
}
