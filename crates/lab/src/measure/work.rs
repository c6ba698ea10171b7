//! Work that needs a processor for a known time.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// So many rounds of mixing a number. A number of rounds and not a time, so that
/// a thread which does not get its processor takes longer, as real work does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    rounds: u64,
}

impl Work {
    /// As much as takes this machine `time` when nobody disturbs it.
    pub(crate) fn of(time: Duration) -> Self {
        const PROBE: Work = Work { rounds: 100_000 };
        let quickest = (0..9).map(|_| {
            let began = Instant::now();
            PROBE.run();
            began.elapsed()
        });
        let quickest = quickest.min().unwrap_or_default().as_nanos().max(1);
        let rounds = u128::from(PROBE.rounds) * time.as_nanos() / quickest;
        Work {
            rounds: u64::try_from(rounds).unwrap_or(u64::MAX),
        }
    }

    pub(crate) fn run(self) -> u64 {
        let mut number = black_box(0x9E37_79B9_7F4A_7C15_u64);
        for round in 0..self.rounds {
            number = (number ^ round)
                .wrapping_mul(0xBF58_476D_1CE4_E5B9)
                .rotate_left(31);
        }
        black_box(number)
    }
}
