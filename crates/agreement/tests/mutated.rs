//! Damaged responses: nobody wrote down what is right, but all stages must say
//! the same.
//!
//! The bytes of the cases, changed at random in head and chunk syntax, are sent
//! in one write, or in two with a pause; then the connection is closed.
//! `AGREEMENT_SEED` and `AGREEMENT_MUTANTS` make longer hunts.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use agreement::{Random, all_agree, allow_latitude, number_from, seed, stages};
use bytes::Bytes;
use conformance::{Case, Target, cases};
use fetch_core::Options;
use origin::{Config, Origin, Script};

/// Mutants fetched by one call.
const BATCH: usize = 200;

/// Between the two writes of a response that is cut.
const PAUSE: Duration = Duration::from_millis(5);

/// Larger responses are about lengths, which a changed byte hardly touches.
const LARGEST: usize = 4096;

/// Bytes that mean something to a parser of HTTP, and some that must not.
const TELLING: &[u8] =
    b"\r\n\r\n \t:;,\"+-.=/0123456789abcdefABCDEFgxX\0\x0b\x0c\x1f\x7f\x80\xa0\xff";

/// Whole lines that change how a message is read.
const LINES: [&str; 22] = [
    "\r\n",
    "\n",
    " folded\r\n",
    "\t5\r\n",
    " \r\n",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "HTTP/1.1 103 Early Hints\r\nLink: <a>\n\n",
    "HTTP/1.0 200 OK\r\n",
    "Content-Length: 5\r\n",
    "Content-Length:\r\n",
    "Content-Length: 005,5\n",
    "Content-Length: 18446744073709551613\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: gzip,\r\n chunked \r\n",
    "Transfer-Encoding:\r\n",
    "Connection: keep-alive, upgrade\r\n",
    "Upgrade: websocket\r\n",
    "5\r\nhello\r\n",
    "5 ;a=\"b\"\r\nhello\r\n",
    "0\r\n\r\n",
    "000\r\nTrailer: x\r\n\r\n",
    "ffffffffffffffff\r\n",
];

#[test]
fn all_stages_agree_on_damaged_responses() {
    let mutants = number_from("AGREEMENT_MUTANTS", 400) as usize;
    let mut random = Random::new(seed());
    let sources: Vec<&'static Case> = cases().iter().filter(|case| is_source(case)).collect();
    let origin = Origin::start(Config::default()).expect("a server to test with");
    let options = Options {
        max_in_flight: NonZeroUsize::new(32).unwrap_or(NonZeroUsize::MIN),
        ..Options::default()
    };
    let stages = stages();
    let mut disagreements = Vec::new();

    for _ in 0..mutants.div_ceil(BATCH) {
        let batch: Vec<Mutant> = (0..BATCH)
            .map(|_| Mutant::new(&sources, &mut random))
            .collect();
        let mut requests = Vec::with_capacity(BATCH);
        for (index, mutant) in batch.iter().enumerate() {
            let name = format!("mutant-{index}");
            origin
                .script(&name, mutant.script())
                .expect("a small script");
            let url = origin.url(&format!("/case/{name}"));
            requests.push(mutant.case.request_to(&url).expect("a valid request"));
        }
        let mut results = Vec::new();
        for (name, subject) in &stages {
            let fetched = subject.fetch_all(requests.clone(), &options);
            let mut fetched = fetched.unwrap_or_else(|why| panic!("{name}: {why}")).result;
            let cut = batch.iter().map(|mutant| mutant.cut.is_some());
            fetched
                .iter_mut()
                .zip(cut)
                .filter(|(_, cut)| *cut)
                .for_each(|(one, _)| allow_latitude(one));
            results.push((*name, fetched));
        }
        disagreements.extend(all_agree(&results, |index| batch[index].to_string()).err());
    }
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n\n"));
}

struct Mutant {
    case: &'static Case,
    response: Bytes,
    /// Where it is cut, if it is sent in two writes.
    cut: Option<usize>,
}

impl Mutant {
    fn new(sources: &[&'static Case], random: &mut Random) -> Self {
        let case = *random.pick(sources);
        let response = mutate(&case.response_bytes(), random);
        let cut = random.once_in(2).then(|| random.below(response.len() + 1));
        Mutant {
            case,
            response,
            cut,
        }
    }

    fn script(&self) -> Script {
        let script = Script::new().expect_request();
        match self.cut {
            None => script.send(self.response.clone()),
            Some(at) => script
                .send(self.response.slice(..at))
                .pause(PAUSE)
                .send(self.response.slice(at..)),
        }
        .close()
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            case,
            response,
            cut,
        } = self;
        write!(
            f,
            "{} after {}, cut at {cut:?}: {response:?}",
            case.request.method, case.id
        )
    }
}

/// Cases whose request can be made, and whose response is small.
fn is_source(case: &Case) -> bool {
    let response = case.response_bytes();
    case.request.target == Target::Script
        && !response.is_empty()
        && response.len() <= LARGEST
        && case.request_to("http://127.0.0.1/").is_ok()
        // Damage hardly ever mends a malformed head.
        && !case.has_malformed_head()
}

/// One to three changes, most of them such that the result still means
/// something.
fn mutate(response: &Bytes, random: &mut Random) -> Bytes {
    let mut bytes = response.to_vec();
    for _ in 0..=random.below(3) {
        match random.below(4) {
            0 => change_bytes(&mut bytes, random),
            1 => change_number(&mut bytes, random),
            _ => change_lines(&mut bytes, random),
        }
    }
    bytes.into()
}

fn change_bytes(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let length = (1 + random.below(12)).min(bytes.len() - at);
    match random.below(7) {
        0 if length > 0 => bytes[at] ^= 1 << random.below(8),
        1 if length > 0 => bytes[at] = *random.pick(TELLING),
        2 => bytes.insert(at, *random.pick(TELLING)),
        3 if length > 0 => drop(bytes.remove(at)),
        4 => drop(bytes.drain(at..at + length)),
        5 => {
            let copy = bytes[at..at + length].to_vec();
            let to = random.below(bytes.len() + 1);
            drop(bytes.splice(to..to, copy));
        }
        _ => bytes.truncate(at),
    }
}

/// Another digit, or one more: statuses, lengths and sizes.
fn change_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let digits: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_hexdigit())
        .collect();
    if digits.is_empty() {
        return;
    }
    let (at, digit) = (*random.pick(&digits), *random.pick(b"0123456789abcF"));
    if random.once_in(2) {
        bytes[at] = digit;
    } else {
        bytes.insert(at, digit);
    }
}

fn change_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<Vec<u8>> = bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let at = random.below(lines.len() + 1);
    let other = random.below(lines.len() + 1);
    let exist = at < lines.len() && other < lines.len();
    match random.below(6) {
        0 if exist => lines.swap(at, other),
        1 if exist => drop(lines.remove(at)),
        2 if exist => lines.insert(at, lines[other].clone()),
        // Everything that tells two line ends apart is worth a try.
        3 if exist => {
            let content = lines[at].trim_ascii_end().len();
            lines[at].truncate(content);
            lines[at].extend_from_slice(
                random
                    .pick(&["\n", "\r\n", " \r\n", "\r\r\n", "\t\n", "\r"])
                    .as_bytes(),
            );
        }
        _ => lines.insert(at, random.pick(&LINES).as_bytes().to_vec()),
    }
    *bytes = lines.concat();
}
