//! What a reference is, and what becomes of it when what it points to is
//! moved. Given.

/// Stands for a `&[u8]` into a buffer in the same struct, which safe Rust
/// cannot write down. It is what the compiler keeps: an address, and a length.
///
/// A real reference would read what lies at its address, whatever that is by
/// now. This one looks first.
#[derive(Debug, Clone, Copy)]
pub struct Borrowed {
    address: usize,
    length: usize,
}

impl Borrowed {
    /// Points to `bytes`.
    pub fn to(bytes: &[u8]) -> Self {
        Borrowed {
            address: bytes.as_ptr().addr(),
            length: bytes.len(),
        }
    }

    /// What it points to, which has to be in `buffer`.
    ///
    /// # Panics
    ///
    /// If it is not, since the buffer has been moved.
    pub fn read(self, buffer: &[u8]) -> &[u8] {
        let (ours, theirs) = (self.address, buffer.as_ptr().addr());
        let bytes = ours
            .checked_sub(theirs)
            .and_then(|start| buffer.get(start..start.checked_add(self.length)?));
        bytes.unwrap_or_else(|| {
            panic!(
                "the buffer is not where it was when it was borrowed: the reference points to \
                 {ours:#x}, and the buffer begins at {theirs:#x}; a real reference would now read \
                 what is not there"
            )
        })
    }
}
