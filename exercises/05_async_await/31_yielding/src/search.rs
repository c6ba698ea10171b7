//! Yours: a search that may take long.

use crate::hash::hash;

/// The smallest number that, hashed with `page`, gives a hash with at least
/// `zeros` zero bits in front. Each further bit doubles the time; with more than
/// 64 there is no such number, and it searches for ever.
///
/// It is `async`, so that others can live while it searches.
pub async fn search(page: &[u8], zeros: u32) -> u64 {
    let mut number = 0;
    while hash(page, number).leading_zeros() < zeros {
        number += 1;
    }
    number
}
