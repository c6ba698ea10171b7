//! Requests: checked when they are made, encoded when they are sent.

use bytes::buf::Chain;
use bytes::{Buf, Bytes, BytesMut};
use http::header::{ACCEPT, CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use std::net::SocketAddr;
use url::Host;

use crate::FetchError;
use crate::target::Target;

const AGENT: &str = concat!("five-ways-to-wait/", env!("CARGO_PKG_VERSION"));

/// A request that can be sent as it is: whatever could be wrong with it was
/// found when it was made.
#[derive(Debug, Clone)]
pub struct Request {
    method: Method,
    target: Target,
    headers: HeaderMap,
    body: Bytes,
}

/// The bytes of a request on their way out: head, then body, and a position.
///
/// `chunk` is what to write next and `advance` says how much of it the socket
/// took. A stage whose stack does not outlive the wait keeps this value.
pub type Outgoing = Chain<Bytes, Bytes>;

impl Request {
    /// Checks and builds a request.
    ///
    /// `fields` are the caller's own, as name and value. They go on the wire
    /// after ours; an own `accept` or `user-agent` takes the place of ours.
    ///
    /// # Errors
    ///
    /// `invalid-url` and `unsupported-scheme` for the URL. `invalid-request`
    /// for a method or name that is no token (RFC 9110 §5.6.2), for a value
    /// with a control character, for CONNECT, and for the fields that say where
    /// the message goes and where it ends: Host, Connection, Content-Length,
    /// Transfer-Encoding.
    pub fn new<N, V>(
        method: &str,
        url: &str,
        fields: impl IntoIterator<Item = (N, V)>,
        body: impl Into<Bytes>,
    ) -> Result<Self, FetchError>
    where
        N: AsRef<[u8]>,
        V: AsRef<[u8]>,
    {
        let target = Target::parse(url)?;
        let method = check_method(method)?;
        let body = body.into();
        let headers = wire_headers(&target, &method, &check_fields(fields)?, body.len())?;
        Ok(Request {
            method,
            target,
            headers,
            body,
        })
    }

    /// A GET without fields of its own.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    pub fn get(url: &str) -> Result<Self, FetchError> {
        let no_fields: [(&str, &str); 0] = [];
        Self::new("GET", url, no_fields, Bytes::new())
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// The URL, normalized: dot segments removed, host in lower case.
    pub fn url(&self) -> &str {
        self.target.url.as_str()
    }

    /// All fields as they go on the wire, in that order.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The body; empty if there is none.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The name to resolve, or the address without brackets.
    pub fn host(&self) -> String {
        match &self.target.host {
            Host::Domain(name) => name.clone(),
            Host::Ipv4(address) => address.to_string(),
            Host::Ipv6(address) => address.to_string(),
        }
    }

    /// The port to connect to.
    pub fn port(&self) -> u16 {
        self.target.port
    }

    /// Host and port for messages, such as `localhost:8080` or `[::1]:8080`.
    pub fn authority(&self) -> String {
        format!("{}:{}", self.target.host, self.target.port)
    }

    /// The address to connect to, if the URL names one and nothing need be
    /// resolved.
    pub fn literal_address(&self) -> Option<SocketAddr> {
        self.target.literal_address()
    }

    /// The bytes of the request, none of them sent yet (RFC 9112 §2.1).
    ///
    /// The body is shared with this request, not copied.
    pub fn encode(&self) -> Outgoing {
        let mut head = BytesMut::new();
        head.extend_from_slice(self.method.as_str().as_bytes());
        head.extend_from_slice(b" ");
        head.extend_from_slice(self.target.path_and_query.as_bytes());
        head.extend_from_slice(b" HTTP/1.1\r\n");
        for (name, value) in &self.headers {
            head.extend_from_slice(name.as_ref());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(b"\r\n");
        head.freeze().chain(self.body.clone())
    }
}

/// CONNECT would turn the connection into a tunnel, which is not a fetch.
fn check_method(method: &str) -> Result<Method, FetchError> {
    match Method::from_bytes(method.as_bytes()) {
        Ok(Method::CONNECT) => invalid("CONNECT opens a tunnel; these clients only fetch"),
        Ok(method) => Ok(method),
        Err(_) => invalid(format!(
            "the method {method:?} is not a token such as GET or POST"
        )),
    }
}

fn check_fields<N: AsRef<[u8]>, V: AsRef<[u8]>>(
    fields: impl IntoIterator<Item = (N, V)>,
) -> Result<HeaderMap, FetchError> {
    let mut checked = HeaderMap::new();
    for (name, value) in fields {
        let text = String::from_utf8_lossy(name.as_ref());
        let Ok(name) = HeaderName::from_bytes(name.as_ref()) else {
            return invalid(format!("the field name {text:?} is not a token"));
        };
        if [HOST, CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING].contains(&name) {
            return invalid(format!(
                "the field {name} is ours to set, since it decides where the message goes or ends: \
                 leave it out"
            ));
        }
        let Ok(value) = HeaderValue::from_bytes(value.as_ref()) else {
            return invalid(format!("the value of {name} has a control character"));
        };
        if checked.try_append(name, value).is_err() {
            return invalid("too many fields");
        }
    }
    Ok(checked)
}

/// The fields in the order of the wire. Every stage sends these and no others,
/// which is checked byte by byte.
fn wire_headers(
    target: &Target,
    method: &Method,
    own: &HeaderMap,
    body_bytes: usize,
) -> Result<HeaderMap, FetchError> {
    let Ok(host) = HeaderValue::from_str(&target.host_field()) else {
        return invalid("the host cannot be written in a field");
    };
    let mut headers = HeaderMap::new();
    headers.insert(HOST, host);
    let defaults = [
        (USER_AGENT, HeaderValue::from_static(AGENT)),
        (ACCEPT, HeaderValue::from_static("*/*")),
    ];
    for (name, default) in &defaults {
        if !own.contains_key(name) {
            headers.insert(name, default.clone());
        }
        for value in own.get_all(name) {
            headers.append(name, value.clone());
        }
    }
    // One connection a fetch: what a stage keeps while it waits is then easy to see.
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    for (name, value) in own {
        if ![USER_AGENT, ACCEPT].contains(name) {
            headers.append(name, value.clone());
        }
    }
    // RFC 9110 §8.6: also an empty body is announced where one is expected.
    let expects_body = [Method::POST, Method::PUT, Method::PATCH].contains(method);
    if body_bytes > 0 || expects_body {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body_bytes));
    }
    Ok(headers)
}

fn invalid<T>(reason: impl Into<String>) -> Result<T, FetchError> {
    Err(FetchError::InvalidRequest {
        reason: reason.into(),
    })
}
