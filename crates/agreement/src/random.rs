//! Chance that can be repeated.

/// The environment variable that sets the seed.
pub const SEED_VARIABLE: &str = "AGREEMENT_SEED";

const DEFAULT_SEED: u64 = 0xa9ee;

/// The seed of this run. Printed, so that a failure can be repeated.
pub fn seed() -> u64 {
    let seed = number_from(SEED_VARIABLE, DEFAULT_SEED);
    println!("{SEED_VARIABLE}={seed}");
    seed
}

/// The number in an environment variable, or `default` if there is none.
pub fn number_from(variable: &str, default: u64) -> u64 {
    let text = std::env::var(variable).ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Steele, Lea and Flood's SplitMix64: short, and the same everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Chance that begins at `seed`.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Any number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    ///
    /// # Panics
    ///
    /// If `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        // Slightly biased, which is of no consequence here.
        (self.number() % bound as u64) as usize
    }

    /// One of `choices`.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// True once in `times` times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// A string of 1 to `longest` characters out of `alphabet`.
    pub fn text(&mut self, alphabet: &str, longest: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        let length = 1 + self.below(longest);
        (0..length).map(|_| *self.pick(&alphabet)).collect()
    }
}
