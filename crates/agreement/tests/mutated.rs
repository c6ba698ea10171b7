//! Damaged responses: nobody wrote down what is right, but all stages must say
//! the same.
//!
//! The bytes of the cases, changed at random in head and chunk syntax, are sent
//! in one write; then the connection is closed. `AGREEMENT_SEED` and
//! `AGREEMENT_MUTANTS` make longer hunts.

use std::num::NonZeroUsize;

use agreement::{Random, all_agree, number_from, seed, stages};
use bytes::Bytes;
use conformance::{Case, Target, cases};
use fetch_core::{Options, Request};
use origin::{Config, Origin, Script};

/// Mutants fetched by one call.
const BATCH: usize = 200;

/// Larger responses are about lengths, which a changed byte hardly touches.
const LARGEST: usize = 4096;

/// Bytes that mean something to a parser of HTTP, and some that must not.
const TELLING: &[u8] =
    b"\r\n\r\n \t:;,\"+-.=/0123456789abcdefABCDEFgxX\0\x0b\x0c\x1f\x7f\x80\xa0\xff";

/// Texts that mean something.
const WORDS: [&str; 18] = [
    "\r\n",
    "\n",
    "\r\n ",
    "\r\n\t",
    "\r\n\r\n",
    "\n\n",
    ", ",
    "chunked",
    ", chunked",
    "gzip",
    "0\r\n\r\n",
    "HTTP/1.1 ",
    "HTTP/1.0 ",
    "Content-Length: 5\r\n",
    "Transfer-Encoding: chunked\r\n",
    "100",
    "HTTP/1.1 100 Continue\r\n\r\n",
    "5;a=\"b\"\r\n",
];

#[test]
fn all_stages_agree_on_damaged_responses() {
    let mutants = number_from("AGREEMENT_MUTANTS", 400) as usize;
    let mut random = Random::new(seed());
    let sources: Vec<&Case> = cases().iter().filter(|case| is_source(case)).collect();
    let origin = Origin::start(Config::default()).expect("a server to test with");
    let options = Options {
        max_in_flight: NonZeroUsize::new(32).unwrap_or(NonZeroUsize::MIN),
        ..Options::default()
    };
    let stages = stages();
    let mut disagreements = Vec::new();

    for _ in 0..mutants.div_ceil(BATCH) {
        let mut batch = Vec::with_capacity(BATCH);
        for index in 0..BATCH {
            let case = random.pick(&sources);
            let response = mutate(&case.response_bytes(), &mut random);
            let script = Script::new()
                .expect_request()
                .send(response.clone())
                .close();
            let name = format!("mutant-{index}");
            origin.script(&name, script).expect("a small script");
            let request = case.request_to(&origin.url(&format!("/case/{name}")));
            batch.push((
                case,
                response,
                request.expect("the case has a valid request"),
            ));
        }
        let requests: Vec<Request> = batch
            .iter()
            .map(|(_, _, request)| request.clone())
            .collect();
        let results: Vec<_> = stages
            .iter()
            .map(|(name, subject)| {
                let fetched = subject.fetch_all(requests.clone(), &options);
                (
                    *name,
                    fetched.unwrap_or_else(|why| panic!("{name}: {why}")).result,
                )
            })
            .collect();
        let agreed = all_agree(&results, |index| {
            let (case, response, request) = &batch[index];
            format!("{} after {}: {response:?}", request.method(), case.id)
        });
        disagreements.extend(agreed.err());
    }
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n\n"));
}

/// Cases whose request can be made, and whose response is small.
fn is_source(case: &Case) -> bool {
    let response = case.response_bytes();
    case.request.target == Target::Script
        && !response.is_empty()
        && response.len() <= LARGEST
        && case.request_to("http://127.0.0.1/").is_ok()
}

/// One to three changes.
fn mutate(response: &Bytes, random: &mut Random) -> Bytes {
    let mut bytes = response.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len().max(1)).min(bytes.len());
        let length = (1 + random.below(12)).min(bytes.len() - at);
        match random.below(8) {
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
            6 => drop(bytes.splice(at..at, random.pick(&WORDS).bytes())),
            _ => bytes.truncate(at),
        }
    }
    bytes.into()
}
