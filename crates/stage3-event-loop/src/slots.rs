//! From a token back to the state: the address book of the event loop.

use mio::Token;
use slab::Slab;

/// Values in numbered slots. A slot is used again after its value has left; a
/// [`Token`] is not.
///
/// The system hands our token back with each event, and can be late: an event
/// may lie in the batch that is being worked off while the fetch it is for
/// ends. If its slot has a new tenant by then, the tenant gets another's mail
/// (mio#172, swift-nio#1799). So a token is a slot and a *generation*, and both
/// have to fit.
#[derive(Debug)]
pub struct Slots<T> {
    slab: Slab<Tenant<T>>,
    generation: usize,
}

#[derive(Debug)]
struct Tenant<T> {
    generation: usize,
    value: T,
}

/// The lower half of a token is the slot, the upper half the generation.
const SLOT_BITS: u32 = usize::BITS / 2;
const SLOT_MASK: usize = (1 << SLOT_BITS) - 1;

/// The token of the one event source that is no fetch: its slot is one that
/// [`Slots`] never gives out.
pub const WAKER: Token = Token(usize::MAX);

impl<T> Slots<T> {
    /// No value yet, and room for `values` of them. A slab that grows by
    /// doubling would in the end hold up to twice the room it needs.
    pub fn with_room_for(values: usize) -> Self {
        Slots {
            slab: Slab::with_capacity(values),
            generation: 0,
        }
    }

    /// Whether all slots are taken: 65,535 where a `usize` has 32 bits, and
    /// more than there are descriptors elsewhere.
    pub fn is_full(&self) -> bool {
        self.slab.len() == SLOT_MASK
    }

    /// Puts a value into a free slot.
    ///
    /// # Panics
    ///
    /// There is none; ask [`is_full`](Self::is_full) first.
    pub fn insert(&mut self, value: T) -> Token {
        assert!(!self.is_full(), "no slot is free");
        // It wraps after four thousand million fetches (65,536 on 32 bits). No
        // event is that late.
        self.generation = (self.generation + 1) & SLOT_MASK;
        let generation = self.generation;
        let slot = self.slab.insert(Tenant { generation, value });
        Token(generation << SLOT_BITS | slot)
    }

    /// The value that `token` was given out for, unless it has left.
    pub fn get_mut(&mut self, token: Token) -> Option<&mut T> {
        let tenant = self.slab.get_mut(token.0 & SLOT_MASK)?;
        (tenant.generation == token.0 >> SLOT_BITS).then_some(&mut tenant.value)
    }

    /// Takes the value out, and frees its slot.
    pub fn remove(&mut self, token: Token) -> Option<T> {
        self.get_mut(token)?;
        Some(self.slab.remove(token.0 & SLOT_MASK).value)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.slab.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    /// The tokens of all values.
    pub fn tokens(&self) -> Vec<Token> {
        let token =
            |(slot, tenant): (usize, &Tenant<T>)| Token(tenant.generation << SLOT_BITS | slot);
        self.slab.iter().map(token).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn token_of_a_value_that_left_finds_nobody() {
        let mut slots = Slots::with_room_for(2);
        let old = slots.insert("old");
        let neighbour = slots.insert("neighbour");
        assert_eq!(slots.remove(old), Some("old"));

        let new = slots.insert("new");
        assert_eq!(
            new.0 & SLOT_MASK,
            old.0 & SLOT_MASK,
            "the slot is used again"
        );
        assert_eq!(slots.get_mut(old), None);
        assert_eq!(slots.remove(old), None);
        assert_eq!(slots.get_mut(new), Some(&mut "new"));
        assert_eq!(slots.get_mut(neighbour), Some(&mut "neighbour"));
    }

    #[test]
    fn token_of_the_waker_is_nobodys() {
        let mut slots = Slots::with_room_for(2);
        slots.insert(());
        assert_eq!(slots.get_mut(WAKER), None);
    }

    #[test]
    fn generations_wrap_within_their_half() {
        let mut slots = Slots::with_room_for(2);
        slots.generation = SLOT_MASK - 1;
        for _ in 0..3 {
            let token = slots.insert(());
            assert_ne!(token, WAKER);
            assert_eq!(slots.tokens(), [token]);
            assert_eq!(slots.remove(token), Some(()));
        }
    }
}
