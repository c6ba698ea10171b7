//! Generated requests.

use agreement::{Random, seed};
use bytes::Bytes;
use fetch_core::{Options, Request};
use origin::{Config, Origin, Script};

use crate::seen_by_all;

const REQUESTS: usize = 300;

const METHODS: [&str; 12] = [
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
    "PROPFIND",
    "get",
    "M-SEARCH",
    "!#$%&'*+-.^_`|~",
];

const NAMES: [&str; 10] = [
    "accept",
    "User-Agent",
    "X-One",
    "x-one",
    "X-TWO",
    "cookie",
    "Accept-Encoding",
    "expect-ct",
    "referer",
    "Te",
];

/// What is asked for, before `Request` has seen it.
struct Asked {
    method: &'static str,
    target: String,
    fields: Vec<(&'static str, String)>,
    body: String,
}

#[test]
fn every_stage_sends_the_same_bytes() {
    let origin = Origin::start(Config::default()).expect("a server to test with");
    let address = origin.listen(Script::echo()).expect("a port to listen on");
    let mut random = Random::new(seed());
    let asked: Vec<Asked> = (0..REQUESTS)
        .map(|index| Asked::new(index, &mut random))
        .collect();
    let requests: Vec<Request> = asked
        .iter()
        .map(|asked| {
            let url = format!("http://{address}{}", asked.target);
            let fields = asked.fields.iter().map(|(name, value)| (name, value));
            Request::new(asked.method, &url, fields, asked.body.clone()).expect("a valid request")
        })
        .collect();

    let seen = seen_by_all(&origin, &requests, &Options::default());
    for asked in asked {
        let sent = vec![asked.bytes(&address.to_string())];
        assert_eq!(seen.get(&asked.target), Some(&sent), "not as promised");
    }
}

impl Asked {
    fn new(index: usize, random: &mut Random) -> Self {
        // Only what a URL keeps as it is; `urls.rs` has the rest.
        const PATH: &str = "abcXYZ019-._~!$&()*+,;=:@";
        const VALUE: &str = "abc XYZ\t019;,=\"\\()<>/?ä";
        let path = if random.once_in(3) { "%20%2F/" } else { "" };
        let query = match random.below(3) {
            0 => String::new(),
            1 => "?".into(),
            _ => format!("?{}", random.text(PATH, 20)),
        };
        let fields = (0..random.below(6)).map(|_| {
            let value = match random.once_in(5) {
                true => String::new(),
                false => format!("v{}v", random.text(VALUE, 30)),
            };
            (*random.pick(&NAMES), value)
        });
        let fields = fields.collect();
        let body = match random.below(3) {
            0 => random.text("body\r\n\0ä", 3000),
            _ => String::new(),
        };
        Asked {
            method: METHODS[random.below(METHODS.len())],
            target: format!("/{index}/{path}p{}{query}", random.text(PATH, 20)),
            fields,
            body,
        }
    }

    /// What must go on the wire: written from `cases/README.md`, and without
    /// any of the code that the stages share.
    fn bytes(&self, host: &str) -> Bytes {
        let mut lines = vec![format!("{} {} HTTP/1.1", self.method, self.target)];
        lines.push(format!("host: {host}"));
        let agent = concat!("five-ways-to-wait/", env!("CARGO_PKG_VERSION"));
        for (name, default) in [("user-agent", agent), ("accept", "*/*")] {
            let own = self.values(name);
            let values = if own.is_empty() { vec![default] } else { own };
            lines.extend(values.iter().map(|value| format!("{name}: {value}")));
        }
        lines.push("connection: close".into());
        let mut done = vec!["user-agent".to_owned(), "accept".to_owned()];
        for (name, _) in &self.fields {
            let name = name.to_ascii_lowercase();
            if !done.contains(&name) {
                let values = self.values(&name).into_iter();
                lines.extend(values.map(|value| format!("{name}: {value}")));
                done.push(name);
            }
        }
        if !self.body.is_empty() || ["POST", "PUT", "PATCH"].contains(&self.method) {
            lines.push(format!("content-length: {}", self.body.len()));
        }
        format!("{}\r\n\r\n{}", lines.join("\r\n"), self.body).into()
    }

    fn values(&self, name: &str) -> Vec<&str> {
        let same = self
            .fields
            .iter()
            .filter(|(own, _)| own.eq_ignore_ascii_case(name));
        same.map(|(_, value)| value.as_str()).collect()
    }
}
