//! Yours.

use std::time::Duration;

/// How many fetches are in flight, on the average, if `per_second` begin in
/// every second and each takes the time `each`.
pub fn in_flight(per_second: f64, each: Duration) -> f64 {
    todo!("how many are in flight?")
}

/// How many fetches a pool finishes per second, at most, if each keeps one of
/// its `workers` for the time `each`. (`each` is more than zero.)
pub fn most_per_second(workers: usize, each: Duration) -> f64 {
    todo!("how many a second, at most?")
}
