//! Room to write a request in. Given.

use bytes::Buf;
use fetch_core::Outgoing;

/// 16 KiB in which a request is put together before it is sent in one piece.
/// On the stack that costs nothing.
pub struct Draft {
    room: [u8; Draft::BYTES],
    used: usize,
}

impl Draft {
    /// How much room there is.
    pub const BYTES: usize = 16 * 1024;

    /// An empty draft.
    #[expect(clippy::new_without_default, reason = "one way to make it is enough")]
    pub fn new() -> Self {
        Draft {
            room: [0; Draft::BYTES],
            used: 0,
        }
    }

    /// Writes `request` into it, head and body, or as much as there is room
    /// for; the rest stays where it is.
    pub fn write(&mut self, request: &mut Outgoing) {
        while request.has_remaining() && self.used < Draft::BYTES {
            let room = &mut self.room[self.used..];
            let length = room.len().min(request.chunk().len());
            room[..length].copy_from_slice(&request.chunk()[..length]);
            request.advance(length);
            self.used += length;
        }
    }

    /// What has been written.
    pub fn bytes(&self) -> &[u8] {
        &self.room[..self.used]
    }
}
