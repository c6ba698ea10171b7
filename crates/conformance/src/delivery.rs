//! In which pieces a response is sent.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::case::Case;

/// The environment variable that sets another seed for the cuts.
pub const SEED_VARIABLE: &str = "CONFORMANCE_SEED";

const DEFAULT_SEED: u64 = 0x5eed;

/// Unpaced one-byte writes merge into one segment and prove nothing.
const PACE: Duration = Duration::from_millis(5);

/// Cuts of a response; they cost [`PACE`] each.
const CUTS: usize = 64;

/// A response this large is cut less often: what is near its ends matters.
const LARGE: usize = 1 << 20;
const CUTS_OF_LARGE: usize = 12;

/// In which pieces a case's response is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    /// As the case says, with its pauses.
    AsGiven,
    /// In one write.
    Whole,
    /// Cut before these bytes, paced.
    Cut {
        /// Where the pieces after the first one begin; ascending.
        at: Vec<usize>,
        /// What the cuts were made from.
        seed: u64,
    },
}

impl Delivery {
    /// The ways to deliver `case` that differ from each other.
    pub fn all_of(case: &Case) -> Vec<Delivery> {
        let mut all = vec![Delivery::AsGiven];
        let length: usize = case.segments.iter().map(Bytes::len).sum();
        if case.only_as_given || length == 0 {
            return all;
        }
        if case.segments.len() > 1 {
            all.push(Delivery::Whole);
        }
        if length > 1 {
            let seed = seed();
            let at = cuts(length, seed ^ hash(&case.id));
            all.push(Delivery::Cut { at, seed });
        }
        all
    }

    /// The pieces, and the pause between them.
    pub fn pieces(&self, case: &Case) -> (Vec<Bytes>, Duration) {
        match self {
            Delivery::AsGiven => (case.segments.clone(), case.pauses.between),
            Delivery::Whole => (vec![case.response_bytes()], Duration::ZERO),
            Delivery::Cut { at, .. } => {
                let mut rest = case.response_bytes();
                let mut pieces = Vec::with_capacity(at.len() + 1);
                let mut begun = 0;
                for &cut in at {
                    pieces.push(rest.split_to((cut - begun).min(rest.len())));
                    begun = cut;
                }
                pieces.push(rest);
                (pieces, PACE)
            }
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Delivery::AsGiven => f.write_str("as given"),
            Delivery::Whole => f.write_str("in one write"),
            Delivery::Cut { at, seed } => {
                write!(f, "cut at {at:?}, 5 ms apart ({SEED_VARIABLE}={seed})")
            }
        }
    }
}

fn seed() -> u64 {
    std::env::var(SEED_VARIABLE)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(DEFAULT_SEED)
}

/// Every byte boundary, if there are few. Otherwise more of them near both
/// ends, where heads and last chunks are.
fn cuts(length: usize, seed: u64) -> Vec<usize> {
    const NEAR: usize = 256;
    let wanted = if length < LARGE { CUTS } else { CUTS_OF_LARGE };
    if length - 1 <= wanted {
        return (1..length).collect();
    }
    let mut random = SplitMix(seed);
    let mut at = Vec::with_capacity(wanted);
    while at.len() < wanted {
        let cut = match at.len() % 3 {
            0 => 1 + random.below(length - 1),
            1 => 1 + random.below((length - 1).min(NEAR)),
            _ => length - 1 - random.below((length - 1).min(NEAR)),
        };
        // Few enough for a search; a second cut at one place would be an empty
        // write.
        if !at.contains(&cut) {
            at.push(cut);
        }
    }
    at.sort_unstable();
    at
}

/// FNV-1a: the cuts of one case do not depend on the other cases.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Steele, Lea and Flood's generator: ten lines, and the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    /// A number below `bound`, which must not be 0. The slight bias is of no
    /// consequence here.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        (mixed % bound as u64) as usize
    }
}
