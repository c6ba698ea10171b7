//! Damaged URLs: what `Request::new` accepts, all stages read alike. What it
//! does not accept never comes to a stage.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use agreement::{Random, number_from, seed};
use fetch_core::{ErrorKind, Options, Request, Resolve};
use origin::{Config, Origin, Script};

use crate::seen_by_all;

const WANTED: &str = "AGREEMENT_URLS";

const URLS: [&str; 12] = [
    "http://{HOST}/",
    "http://{HOST}",
    "http://{HOST}?query",
    "http://{HOST}#fragment",
    "http://{HOST}/a/../b/./c//d",
    "http://{HOST}/a%2e%2E/%2e/b?x=%zz&y=/../",
    "http://{HOST}/path?a=b'c\"d<e>f`g{h}|i^j#k?l",
    "http://name.test/p",
    "http://NAME.test:80/p",
    "http://name.test:/p;x=1",
    "http://name.test.:0080/~user/(x)[y]",
    "HTTP://xn--nxasmq6b.test/ä?ö#ü",
];

const PARTS: [&str; 30] = [
    "%", "%2", "%41", "%00", "%0a", "%ff", "/", "//", "/.", "/..", "/%2e", "?", "#", ":", ":80",
    "@", "[", "]", "'", "\"", "<", "`", "{", "|", "^", "~", "é", "日本", "\u{200b}", ".",
];

#[test]
fn every_stage_reads_urls_alike() {
    let origin = Origin::start(Config::default()).expect("a server to test with");
    // Any target is answered, and names lead here, whatever they are.
    let address = origin.listen(Script::echo()).expect("a port to listen on");
    let options = Options {
        resolver: Arc::new(Here(address)),
        ..Options::default()
    };
    let mut random = Random::new(seed());
    let wanted = number_from(WANTED, 600) as usize;
    let mut requests = BTreeMap::new();
    let mut refused = 0;
    for _ in 0..wanted {
        let url = damage(&address.to_string(), &mut random);
        match Request::get(&url) {
            Ok(request) if leads_here(&request, address) => {
                requests.insert(url, request);
            }
            Ok(_) => {}
            Err(_) => refused += 1,
        }
    }
    println!("{} URLs to fetch, {refused} refused", requests.len());
    assert!(
        requests.len() > wanted / 4,
        "too few are valid to mean anything"
    );
    let requests: Vec<Request> = requests.into_values().collect();
    seen_by_all(&origin, &requests, &options);
}

/// `idna_adapter` 1.0.0 asserts (in debug builds) that no capital precedes a
/// letter beyond ASCII, and then `Url::parse` panics.
#[test]
fn a_name_beyond_ascii_is_refused_without_a_panic() {
    for host in ["CAFÉ.test", "CAF%C3%89.test", "%41%e9", "café.test", "%80"] {
        let refused = Request::get(&format!("http://{host}:8080/")).map(drop);
        let kind = refused.map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::InvalidUrl), "{host}");
    }
}

/// A damaged port or address may lead to somebody else.
fn leads_here(request: &Request, here: SocketAddr) -> bool {
    match request.literal_address() {
        Some(address) => address == here,
        None => [80, here.port()].contains(&request.port()),
    }
}

fn damage(host: &str, random: &mut Random) -> String {
    let url = random.pick(&URLS).replace("{HOST}", host);
    let mut chars: Vec<char> = url.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        // Mostly behind the host: what is in front of it must be nearly right.
        let at = if random.once_in(4) {
            at
        } else {
            at.max(16).min(chars.len())
        };
        match random.below(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 if at < chars.len() => chars[at] = any_character(random),
            2 => chars.insert(at, any_character(random)),
            _ => drop(chars.splice(at..at, random.pick(&PARTS).chars())),
        }
    }
    chars.into_iter().collect()
}

/// Of ASCII, and mostly printable: the rest is refused at once.
fn any_character(random: &mut Random) -> char {
    let lowest = if random.once_in(20) { 0 } else { 0x21 };
    char::from((lowest + random.below(0x80 - lowest)) as u8)
}

/// Every name is the server's.
#[derive(Debug)]
struct Here(SocketAddr);

impl Resolve for Here {
    fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<SocketAddr>> {
        Ok(vec![self.0])
    }
}
