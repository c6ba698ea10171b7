//! How much a server may send before we stop listening.
//!
//! They are constants and not options, because a limit that differs between
//! two stages would be a difference in results. The values are those of hyper
//! 1.12, so that the stage built on reqwest agrees; only [`HEADER_MAP_BYTES`]
//! is our own.

/// Fields in one head; the hundred-and-first is
/// [`HeadTooLarge`](crate::ErrorKind::HeadTooLarge). Interim heads too.
pub const HEADERS: usize = 100;

/// Bytes in one field name: what `http::HeaderName` can hold.
pub const HEADER_NAME_BYTES: usize = 65_535;

/// Bytes of one head, from the first byte after the last head to the blank
/// line. Each interim head is counted alone.
pub const HEAD_BYTES: usize = 417_792;

/// Bytes in the final head's fields: the sum of all names and all trimmed,
/// unfolded values.
pub const HEADER_MAP_BYTES: usize = 64 * 1024;

/// Bytes of chunk extensions in one body. The byte that reaches the limit is
/// the error, as in hyper.
pub const CHUNK_EXTENSION_BYTES: usize = 16 * 1024;

/// Bytes of trailer section in one body, final line end included. The byte
/// that reaches the limit is the error, as in hyper.
pub const TRAILER_BYTES: usize = 16 * 1024;

/// Trailer fields in one body.
pub const TRAILERS: usize = 100;
