//! Yours: from a token back to the value.

use mio::Token;
use slab::Slab;

/// The lower half of a token is the number of the slot. The upper half is the
/// generation.
pub const SLOT_BITS: u32 = usize::BITS / 2;

/// The bits of the lower half.
pub const SLOT_MASK: usize = (1 << SLOT_BITS) - 1;

/// Values in numbered slots. The slot of a value that has left is used again;
/// its token is not.
#[derive(Debug)]
pub struct Slots<T> {
    slab: Slab<Tenant<T>>,
    /// The generation of the value that came last.
    generation: usize,
}

/// A value, and the generation that its token has.
#[derive(Debug)]
struct Tenant<T> {
    generation: usize,
    value: T,
}

impl<T> Slots<T> {
    /// No value yet.
    pub fn new() -> Self {
        Slots {
            slab: Slab::new(),
            generation: 0,
        }
    }

    /// Puts a value into a free slot, and says by which token it is found again.
    pub fn insert(&mut self, value: T) -> Token {
        // Within the upper half, and so it begins again after a long time.
        self.generation = (self.generation + 1) & SLOT_MASK;
        let generation = self.generation;
        let slot = self.slab.insert(Tenant { generation, value });
        Token(generation << SLOT_BITS | slot)
    }

    /// The value that `token` was given out for, unless it has left.
    pub fn get_mut(&mut self, token: Token) -> Option<&mut T> {
        let tenant = self.slab.get_mut(token.0 & SLOT_MASK)?;
        // The slot may have another tenant by now.
        (tenant.generation == token.0 >> SLOT_BITS).then_some(&mut tenant.value)
    }

    /// Takes out the value that `token` was given out for, and frees its slot.
    /// `None`, if it has left.
    pub fn remove(&mut self, token: Token) -> Option<T> {
        self.get_mut(token)?;
        Some(self.slab.remove(token.0 & SLOT_MASK).value)
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::new()
    }
}
