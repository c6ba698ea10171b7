//! Yours: a search that may take long.

use tokio::task::yield_now;

use crate::hash::hash;

/// How many numbers are tried in one turn. Each takes some ten nanoseconds when
/// optimised, so a turn some ten microseconds: little for those who wait, and
/// much against what giving way costs.
const TURN: u64 = 1000;

/// The smallest number that, hashed with `page`, gives a hash with at least
/// `zeros` zero bits in front. Each further bit doubles the time; with more than
/// 64 there is no such number, and it searches for ever.
///
/// It is `async`, so that others can live while it searches.
pub async fn search(page: &[u8], zeros: u32) -> u64 {
    let mut number = 0;
    while hash(page, number).leading_zeros() < zeros {
        number += 1;
        if number.is_multiple_of(TURN) {
            yield_now().await;
        }
    }
    number
}
