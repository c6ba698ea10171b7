//! Yours: a `Waker` out of a task.
#![allow(unsafe_code)]

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::task::{RawWaker, RawWakerVTable, Waker};

use stage4_hand_rolled_future::task::Task;

/// A waker that puts `task` into its queue. It owns this reference.
pub fn waker(task: Arc<Task>) -> Waker {
    let data = Arc::into_raw(task).cast();
    // SAFETY: `data` is a reference to a task, which this waker owns. The
    // functions of `VTABLE` are made for that, and may be called on any thread.
    unsafe { Waker::from_raw(RawWaker::new(data, &VTABLE)) }
}

/// The four functions. To wake is to wake, so one of them serves twice.
static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake_by_ref, wake_by_ref, drop_waker);

/// One more waker.
///
/// # Safety
///
/// Here and below: `data` is from [`waker`], and its waker is alive.
unsafe fn clone(data: *const ()) -> RawWaker {
    // SAFETY: `data` came from `Arc::into_raw`, and the waker that is being
    // cloned holds a reference during this call.
    unsafe { Arc::increment_strong_count(data.cast::<Task>()) };
    RawWaker::new(data, &VTABLE)
}

/// Wakes and leaves the waker as it is.
///
/// # Safety
///
/// As [`clone`].
unsafe fn wake_by_ref(data: *const ()) {
    // SAFETY: as in `clone`. `ManuallyDrop` leaves the reference to the waker.
    let task = ManuallyDrop::new(unsafe { Arc::from_raw(data.cast::<Task>()) });
    Task::wake(Arc::clone(&task));
}

/// The waker is gone. It was two pointers, so there is nothing to free.
///
/// # Safety
///
/// As [`clone`], and the waker is not used again.
unsafe fn drop_waker(_data: *const ()) {}
