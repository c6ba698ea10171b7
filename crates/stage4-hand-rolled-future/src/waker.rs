//! A `Waker` out of a task. *Second reading.*
//!
//! `Waker` has to work for every executor there is, also for one without a
//! heap, so it cannot name the type behind it. It is a pointer and a table of
//! four functions: a trait object by hand. Whoever calls `wake` knows neither
//! the task nor the executor; this is where Rust's standard library ends and a
//! runtime begins.
//!
//! `std::task::Wake` writes this table for us, without `unsafe`, and the
//! example `block_on` uses it. It insists on the standard library's `Arc`, which
//! loom cannot look into; and then, to have seen the table once is why this
//! stage exists.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::task::{RawWaker, RawWakerVTable, Waker};

use crate::sync::Arc;
use crate::task::Task;

/// A waker that puts `task` into its queue. It owns this reference.
pub fn waker(task: Arc<Task>) -> Waker {
    let data = Arc::into_raw(task).cast();
    // SAFETY:
    // - `data` comes from `Arc::into_raw`, and this waker owns that reference,
    //   as the functions of `VTABLE` demand.
    // - They keep `RawWakerVTable`'s contract: `clone` adds a reference, `wake`
    //   and `drop` each give one back, `wake_by_ref` leaves the count alone.
    // - They are thread-safe: `Task` is `Send + Sync`, checked below, and
    //   `Arc`'s count is atomic.
    unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) }
}

/// In a `static`, so that it has one address: `Waker::will_wake` compares
/// addresses, and a constant may have several.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake_by_ref, drop_waker);

/// One more waker: one more reference.
///
/// # Safety
///
/// Here and below: `data` is from [`waker`], and its waker is alive.
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY:
    // - `data` came from `Arc::into_raw` of an `Arc<Task>`.
    // - The waker that is being cloned holds a reference during this call.
    unsafe { Arc::increment_strong_count(data.cast::<Task>()) };
    RawWaker::new(data, &VTABLE)
}

/// Consumes the waker: its reference goes into the queue, or is given back.
///
/// # Safety
///
/// As [`clone`], and the waker is not used again.
unsafe fn wake(data: *const ()) {
    // SAFETY:
    // - As in `clone`.
    // - The waker is consumed, so its reference is ours to take.
    let task = unsafe { Arc::from_raw(data.cast::<Task>()) };
    Task::wake(task);
}

/// Wakes and leaves the waker as it is.
///
/// # Safety
///
/// As [`clone`].
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY:
    // - As in `clone`.
    // - The reference stays the waker's: `ManuallyDrop` never gives it back.
    let task = ManuallyDrop::new(unsafe { Arc::from_raw(data.cast::<Task>()) });
    Task::wake(Arc::clone(&task));
}

/// The waker is gone, and so is its reference. The last one frees the task.
///
/// # Safety
///
/// As [`wake`].
unsafe fn drop_waker(data: *const ()) {
    // SAFETY:
    // - As in `wake`.
    drop(unsafe { Arc::from_raw(data.cast::<Task>()) });
}

/// What `Waker` promises in our name, and the compiler cannot see through the
/// pointer.
const _: () = {
    const fn is_thread_safe<T: Send + Sync>() {}
    is_thread_safe::<Task>();
};
