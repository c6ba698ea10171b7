//! What is computed. Given.

/// A hash of `page` and `number`: FNV-1a, and then mixed so that all bits
/// depend on all bytes. It serves to keep a processor busy, and nothing else.
pub fn hash(page: &[u8], number: u64) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in page.iter().chain(&number.to_le_bytes()) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}
