//! A global allocator that counts, for measurements.
//!
//! ```
//! use counting_alloc::CountingAlloc;
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAlloc = CountingAlloc::new();
//!
//! let before = ALLOCATOR.count();
//! let boxed = Box::new([0_u8; 100]);
//! let held = ALLOCATOR.count() - before;
//! assert!(held.bytes >= 100 && held.blocks >= 1);
//! drop(boxed);
//! ```
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::ops::Sub;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

/// The system's allocator, with three counters.
///
/// They are read one by one while other threads may allocate, so take them when
/// nobody does, if they are to fit together.
#[derive(Debug, Default)]
pub struct CountingAlloc {
    bytes: AtomicI64,
    blocks: AtomicI64,
    allocations: AtomicI64,
}

/// What a [`CountingAlloc`] has counted, or the difference of two such counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Bytes in use, as they were asked for: without the allocator's own.
    pub bytes: i64,
    /// Blocks in use.
    pub blocks: i64,
    /// Allocations made since the start; one that grows a block counts too.
    pub allocations: i64,
}

impl CountingAlloc {
    /// An allocator that has counted nothing.
    pub const fn new() -> Self {
        CountingAlloc {
            bytes: AtomicI64::new(0),
            blocks: AtomicI64::new(0),
            allocations: AtomicI64::new(0),
        }
    }

    /// The counters now.
    pub fn count(&self) -> Count {
        Count {
            bytes: self.bytes.load(Relaxed),
            blocks: self.blocks.load(Relaxed),
            allocations: self.allocations.load(Relaxed),
        }
    }

    /// `old` bytes in one block became `new` bytes in one block; 0 is no block.
    fn note(&self, old: usize, new: usize) {
        // No layout is larger than `isize::MAX`.
        let change = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        self.bytes.fetch_add(change(new) - change(old), Relaxed);
        let blocks = i64::from(new > 0) - i64::from(old > 0);
        self.blocks.fetch_add(blocks, Relaxed);
        self.allocations.fetch_add(i64::from(new > 0), Relaxed);
    }
}

impl Sub for Count {
    type Output = Count;

    fn sub(self, earlier: Count) -> Count {
        Count {
            bytes: self.bytes - earlier.bytes,
            blocks: self.blocks - earlier.blocks,
            allocations: self.allocations - earlier.allocations,
        }
    }
}

// SAFETY:
// - Each function hands its arguments to `System` as they are and gives back
//   what `System` gives, so `System`'s guarantees are ours.
// - Counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            self.note(0, layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            self.note(0, layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(block, layout) };
        self.note(layout.size(), 0);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        let moved = unsafe { System.realloc(block, layout, new_size) };
        if !moved.is_null() {
            self.note(layout.size(), new_size);
        }
        moved
    }
}
