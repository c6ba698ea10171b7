//! Yours.

use std::time::Duration;

/// How many fetches are in flight, on the average, if `per_second` begin in
/// every second and each takes the time `each`.
pub fn in_flight(per_second: f64, each: Duration) -> f64 {
    // Little's law. Whoever looks at any moment sees all that have begun
    // within the last `each`, and nobody else.
    per_second * each.as_secs_f64()
}

/// How many fetches a pool finishes per second, at most, if each keeps one of
/// its `workers` for the time `each`. (`each` is more than zero.)
pub fn most_per_second(workers: usize, each: Duration) -> f64 {
    // The same law, asked the other way round: there are never more in flight
    // than workers. What the processor could do does not come into it.
    workers as f64 / each.as_secs_f64()
}
