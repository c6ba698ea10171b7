//! Where a request goes: the URL, checked.

use std::net::{IpAddr, SocketAddr};

use http::Uri;
use url::{Host, Url};

use crate::FetchError;

/// A checked URL and what the wire needs of it.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// The URL as normalized: dot segments removed, host in lower case.
    pub(crate) url: Url,
    /// Path and query, as on the request line (RFC 9112 §3.2.1).
    pub(crate) path_and_query: String,
    pub(crate) host: Host<String>,
    pub(crate) port: u16,
}

impl Target {
    /// Checks the raw text first: `url` follows the WHATWG standard, which
    /// mends what a person typed (it drops line ends and turns `\` into `/`),
    /// and a program that passes text on wants to hear of it instead.
    pub(crate) fn parse(text: &str) -> Result<Target, FetchError> {
        let invalid = |reason: &str| FetchError::InvalidUrl {
            url: text.to_owned(),
            reason: reason.to_owned(),
        };
        if text.is_empty() {
            return Err(invalid("it is empty: write http://HOST/PATH"));
        }
        if text
            .bytes()
            .any(|byte| byte <= b' ' || byte == 0x7f || byte == b'\\')
        {
            return Err(invalid(
                "it has a space, a control character or a backslash: percent-encode it",
            ));
        }
        let after_scheme = after_scheme(text)?
            .ok_or_else(|| invalid("it does not begin with http://HOST: write http://HOST/PATH"))?;
        let authority = after_scheme
            .split(['/', '?', '#'])
            .next()
            .unwrap_or_default();
        if authority.contains('@') {
            return Err(invalid(
                "a user name or password in the URL is not sent: use --header 'authorization: …'",
            ));
        }
        if !is_ascii_once_decoded(authority) {
            return Err(invalid(
                "the host is not ASCII: write it in its xn-- form, as name registries do",
            ));
        }

        let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        let uri: Uri = url
            .as_str()
            .parse()
            .map_err(|error: http::uri::InvalidUri| invalid(&error.to_string()))?;
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(invalid("it names no host"));
        };
        Ok(Target {
            path_and_query: uri
                .path_and_query()
                .map_or("/", |both| both.as_str())
                .to_owned(),
            host: host.to_owned(),
            port,
            url,
        })
    }

    /// The value of the Host field: with the port, unless it is 80 (RFC 9110
    /// §7.2). An IPv6 address keeps its brackets.
    pub(crate) fn host_field(&self) -> String {
        match self.port {
            80 => self.host.to_string(),
            port => format!("{}:{port}", self.host),
        }
    }

    /// The address, if the host is one and needs no resolver.
    pub(crate) fn literal_address(&self) -> Option<SocketAddr> {
        let address = match &self.host {
            Host::Ipv4(address) => IpAddr::V4(*address),
            Host::Ipv6(address) => IpAddr::V6(*address),
            Host::Domain(_) => return None,
        };
        Some(SocketAddr::new(address, self.port))
    }
}

/// What follows `http://` (in any case), or `None` if the text does not begin
/// with it and a host.
fn after_scheme(text: &str) -> Result<Option<&str>, FetchError> {
    let Some((scheme, rest)) = text.split_once("://") else {
        return Ok(None);
    };
    if scheme.eq_ignore_ascii_case("http") {
        return Ok((!rest.starts_with('/')).then_some(rest));
    }
    if is_scheme(scheme) {
        return Err(FetchError::UnsupportedScheme {
            scheme: scheme.to_owned(),
        });
    }
    Ok(None)
}

/// Whether the authority is ASCII, percent-encoded bytes included.
///
/// `url` would refuse it as well, since its IDNA tables are left out, but not
/// always with an error: what stands in for them (`idna_adapter` 1.0.0) asserts
/// that no capital is among the characters it is given.
fn is_ascii_once_decoded(authority: &str) -> bool {
    let encodes_non_ascii =
        |encoded: &[u8]| matches!(encoded, [b'%', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F', _]);
    authority.is_ascii() && !authority.as_bytes().windows(3).any(encodes_non_ascii)
}

/// `ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )` (RFC 3986 §3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}
