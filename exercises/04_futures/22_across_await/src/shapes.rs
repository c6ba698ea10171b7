//! Futures that hold a kibibyte, or do not. Given, to compare their sizes.
#![allow(missing_docs, reason = "their names say what they are")]
#![allow(clippy::drop_non_drop, reason = "whether that helps is the question")]

use std::future::Future;

pub struct Kibibyte([u8; 1024]);

impl Kibibyte {
    pub fn new() -> Self {
        Kibibyte([1; 1024])
    }

    fn sum(&self) -> u32 {
        self.0.iter().map(|byte| u32::from(*byte)).sum()
    }
}

impl Default for Kibibyte {
    fn default() -> Self {
        Kibibyte::new()
    }
}

pub async fn never_borrowed_and_dropped(wait: impl Future) -> u32 {
    let held = Kibibyte::new();
    let first = u32::from(held.0[0]);
    drop(held);
    wait.await;
    first
}

pub async fn used_before_the_wait_and_dropped(wait: impl Future) -> u32 {
    let held = Kibibyte::new();
    let sum = held.sum();
    drop(held);
    wait.await;
    sum
}

pub async fn used_before_the_wait_in_a_block(wait: impl Future) -> u32 {
    let sum = {
        let held = Kibibyte::new();
        held.sum()
    };
    wait.await;
    sum
}

pub async fn used_after_the_wait(wait: impl Future) -> u32 {
    let held = Kibibyte::new();
    wait.await;
    held.sum()
}

pub async fn an_argument(held: Kibibyte, wait: impl Future) -> u32 {
    wait.await;
    held.sum()
}
