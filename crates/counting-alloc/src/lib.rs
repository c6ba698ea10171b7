//! The system's allocator, with counters: how many bytes and blocks the program
//! holds, and how often it has asked for some.
//!
//! ```
//! use counting_alloc::{CountingAlloc, allocations, live_bytes};
//!
//! #[global_allocator]
//! static ALLOCATOR: CountingAlloc = CountingAlloc;
//!
//! let (bytes, calls) = (live_bytes(), allocations());
//! let held = vec![0u8; 1000];
//! assert_eq!(live_bytes() - bytes, 1000);
//! assert_eq!(allocations() - calls, 1);
//! drop(held);
//! assert_eq!(live_bytes(), bytes);
//! ```
//!
//! Counted is what was asked for; what the allocator keeps beside it is not.
//! All threads count together.

#![allow(
    unsafe_code,
    reason = "GlobalAlloc is an unsafe trait; nothing else is in this crate"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// To be made the `#[global_allocator]`; without that nothing is counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct CountingAlloc;

// The counters publish no other memory, so `Relaxed` is enough.
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);
static LIVE_BLOCKS: AtomicUsize = AtomicUsize::new(0);
static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Bytes allocated and not freed.
pub fn live_bytes() -> usize {
    LIVE_BYTES.load(Ordering::Relaxed)
}

/// Blocks allocated and not freed.
pub fn live_blocks() -> usize {
    LIVE_BLOCKS.load(Ordering::Relaxed)
}

/// Calls that got memory so far, growing a block included.
pub fn allocations() -> usize {
    ALLOCATIONS.load(Ordering::Relaxed)
}

fn count(got: usize) {
    LIVE_BYTES.fetch_add(got, Ordering::Relaxed);
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
}

// SAFETY:
// - Every call goes to `System` with the arguments it came with, and its answer
//   goes back unchanged; so `System` keeps the contract for us, and the caller
//   keeps it towards `System`.
// - Counting neither allocates nor panics.
unsafe impl GlobalAlloc for CountingAlloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            count(layout.size());
            LIVE_BLOCKS.fetch_add(1, Ordering::Relaxed);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            count(layout.size());
            LIVE_BLOCKS.fetch_add(1, Ordering::Relaxed);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: `block` came from `System`, through us, with this layout.
        unsafe { System.dealloc(block, layout) };
        LIVE_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        LIVE_BLOCKS.fetch_sub(1, Ordering::Relaxed);
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `block` came from `System`, through us, with this layout.
        let moved = unsafe { System.realloc(block, layout, size) };
        // If it failed, the old block is still there.
        if !moved.is_null() {
            count(size);
            LIVE_BYTES.fetch_sub(layout.size(), Ordering::Relaxed);
        }
        moved
    }
}
