//! Each stage's answers to the two questions, for the page: where the work
//! stopped, and who makes it continue.

use serde_json::{Value, json};

/// `blocks`: whether a waiting fetch keeps its thread. `where`: the place in
/// which a waiting fetch is kept; `who`: what stands behind the wake-up.
pub(super) fn of(contestant: &str) -> Value {
    let (blocks, place, who) = match contestant {
        "stage1" => (
            true,
            "on the stack of its own thread, inside a call that has not returned",
            "the kernel makes the thread runnable, and the call returns",
        ),
        "stage2" => (
            true,
            "on a worker's stack, or, if it has not begun, as a job in the queue",
            "the kernel lets the worker's call return; a job in the queue is begun by the next free worker",
        ),
        "stage3" => (
            false,
            "in the fields of a struct: phase, buffer, position",
            "the loop: poll reports the token, and the loop calls the state behind it",
        ),
        "stage4-enum" => (
            false,
            "in a variant of the enum that poll left behind",
            "the reactor calls the task's waker; the executor polls it again, from the top",
        ),
        "stage4-async" => (
            false,
            "at an .await, in the enum that the compiler made, kept by our executor",
            "the reactor calls the task's waker; the executor polls it again, from the top",
        ),
        "stage5-hand" => (
            false,
            "at an .await, in the state machine of the async fn",
            "tokio's reactor calls the waker, and its executor polls the outermost future again",
        ),
        _ => (
            false,
            "inside reqwest's future, and in the task that it gave the connection",
            "tokio wakes the connection's task, and that one wakes the fetch",
        ),
    };
    json!({ "blocks": blocks, "where": place, "who": who })
}
