//! Yours: from a token back to the value.

use mio::Token;
use slab::Slab;

/// The lower half of a token is the number of the slot. The upper half is free
/// for other use.
pub const SLOT_BITS: u32 = usize::BITS / 2;

/// The bits of the lower half.
pub const SLOT_MASK: usize = (1 << SLOT_BITS) - 1;

/// Values in numbered slots. The slot of a value that has left is used again.
#[derive(Debug)]
pub struct Slots<T> {
    slab: Slab<T>,
}

impl<T> Slots<T> {
    /// No value yet.
    pub fn new() -> Self {
        Slots { slab: Slab::new() }
    }

    /// Puts a value into a free slot, and says by which token it is found again.
    pub fn insert(&mut self, value: T) -> Token {
        Token(self.slab.insert(value))
    }

    /// The value that `token` was given out for, unless it has left.
    pub fn get_mut(&mut self, token: Token) -> Option<&mut T> {
        // Empty, if it has left.
        self.slab.get_mut(token.0)
    }

    /// Takes out the value that `token` was given out for, and frees its slot.
    /// `None`, if it has left.
    pub fn remove(&mut self, token: Token) -> Option<T> {
        self.slab.try_remove(token.0)
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::new()
    }
}
