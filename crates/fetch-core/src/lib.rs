//! The HTTP protocol as pure functions, and the contract that every stage meets.
//!
//! Nothing here opens a socket, reads a clock or starts a thread, so nothing
//! here waits. That is the point: what five stages share is what an HTTP
//! response *means*; what each has for its own is where the wait is kept. The
//! loop that reads until the head is complete is therefore in each stage, and
//! the question "is the head complete?" is here.
//!
//! A fetch, seen from a stage:
//!
//! ```
//! use bytes::{Buf, BytesMut};
//! use fetch_core::{BodyDecoder, FetchError, HeadParser, Request, Response};
//!
//! /// The whole protocol; `read` and `write` stand for the stage's way to wait.
//! fn fetch(
//!     request: &Request,
//!     mut write: impl FnMut(&[u8]) -> usize,
//!     mut read: impl FnMut(&mut BytesMut) -> usize,
//! ) -> Result<Response, FetchError> {
//!     let mut outgoing = request.encode();
//!     while outgoing.has_remaining() {
//!         let sent = write(outgoing.chunk());
//!         outgoing.advance(sent);
//!     }
//!
//!     let mut buffer = BytesMut::new();
//!     let mut parser = HeadParser::new();
//!     let head = loop {
//!         if let Some(head) = parser.parse(&mut buffer)? {
//!             break head;
//!         }
//!         if read(&mut buffer) == 0 {
//!             return Err(FetchError::closed_before_head());
//!         }
//!     };
//!
//!     let mut body = BodyDecoder::new(request.method(), &head, 1024)?;
//!     while !body.decode(&mut buffer)? {
//!         if read(&mut buffer) == 0 {
//!             body.end_of_input()?;
//!             break;
//!         }
//!     }
//!     Ok(head.into_response(body))
//! }
//!
//! let request = Request::get("http://127.0.0.1:8080/greeting")?;
//! let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
//! let response = fetch(&request, |out| out.len(), |buffer| {
//!     buffer.extend_from_slice(answer);
//!     answer.len()
//! })?;
//! assert_eq!(response.body().as_ref(), b"hello");
//! # Ok::<(), FetchError>(())
//! ```
//!
//! Read in this order: [`Stage`] (what every stage does), [`Request`],
//! [`HeadParser`], [`framing`], [`BodyDecoder`], then [`wait`], the words in
//! which all stages say who waits and who wakes.

#![forbid(unsafe_code)]

mod body;
mod chunked;
mod error;
mod error_kind;
pub mod framing;
mod head;
pub mod limits;
mod options;
mod request;
mod stage;
mod target;
pub mod wait;

pub use body::BodyDecoder;
pub use error::FetchError;
pub use error_kind::ErrorKind;
pub use head::{HeadParser, ResponseHead};
pub use options::{OnError, Options, Resolve, SystemResolver};
pub use request::{Outgoing, Request};
pub use stage::{Home, Response, Stage, home_requests};
