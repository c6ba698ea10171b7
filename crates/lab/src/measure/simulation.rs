//! A queue, simulated event by event: what the claims A3.1 and A3.2 predict
//! where neither clock nor kernel interferes.
//!
//! A job takes a *slot* (a worker; a future has no need of one), computes on one
//! of the *cores*, then waits, and gives the slot back. Nothing else is modelled:
//! no cost of switching, no network.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The system, in µs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model {
    /// How many jobs may be unfinished at once; `None`: any number.
    pub(crate) slots: Option<usize>,
    pub(crate) cores: usize,
    pub(crate) compute_us: u64,
    pub(crate) wait_us: u64,
}

/// When jobs arrive.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Arrivals {
    /// All at the start.
    AtOnce(usize),
    /// So many in all, one each so many µs.
    Every(usize, u64),
}

/// What came of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Simulated {
    /// Jobs finished in a second.
    pub(crate) rate: f64,
    /// Jobs that held a slot, on average over the arrivals but for their first
    /// three tenths, in which it is still building up: as `in-flight` measures it.
    pub(crate) in_flight: f64,
    /// Seconds of computing in a second.
    pub(crate) busy_cores: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives,
    Computed,
    Waited,
}

impl Model {
    pub(crate) fn simulate(&self, arrivals: Arrivals) -> Simulated {
        let mut events = BinaryHeap::new();
        let jobs = match arrivals {
            Arrivals::AtOnce(jobs) => {
                events.extend((0..jobs).map(|_| Reverse((0, Event::Arrives))));
                jobs
            }
            Arrivals::Every(jobs, gap) => {
                let moments = (0..jobs as u64).map(|job| job * gap);
                events.extend(moments.map(|at| Reverse((at, Event::Arrives))));
                jobs
            }
        };
        let (from, to) = match arrivals {
            Arrivals::AtOnce(_) => (0, u64::MAX),
            Arrivals::Every(jobs, gap) => (jobs as u64 * gap * 3 / 10, jobs as u64 * gap),
        };
        let mut free_slots = self.slots.unwrap_or(jobs);
        let mut free_cores = self.cores;
        let mut queued = 0usize;
        // Those that hold a slot and need a core.
        let mut runnable = VecDeque::new();
        let (mut in_flight, mut area, mut observed, mut now) = (0u64, 0u64, 0u64, 0u64);

        while let Some(Reverse((at, event))) = events.pop() {
            let passed = at.clamp(from, to) - now.clamp(from, to);
            area += in_flight * passed;
            observed += passed;
            now = at;
            match event {
                Event::Arrives => queued += 1,
                Event::Computed => {
                    free_cores += 1;
                    events.push(Reverse((now + self.wait_us, Event::Waited)));
                }
                Event::Waited => {
                    free_slots += 1;
                    in_flight -= 1;
                }
            }
            while free_slots > 0 && queued > 0 {
                free_slots -= 1;
                queued -= 1;
                in_flight += 1;
                runnable.push_back(());
            }
            while free_cores > 0 && runnable.pop_front().is_some() {
                free_cores -= 1;
                events.push(Reverse((now + self.compute_us, Event::Computed)));
            }
        }
        let seconds = (now.max(1)) as f64 / 1e6;
        Simulated {
            rate: jobs as f64 / seconds,
            in_flight: area as f64 / observed.max(1) as f64,
            busy_cores: (jobs as u64 * self.compute_us) as f64 / 1e6 / seconds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!(
            (value / expected - 1.0).abs() < 0.02,
            "{value}, not {expected}"
        );
    }

    #[test]
    fn workers_cap_the_rate() {
        let model = Model {
            slots: Some(20),
            cores: 2,
            compute_us: 1000,
            wait_us: 100_000,
        };
        near(model.simulate(Arrivals::AtOnce(4000)).rate, 20.0 / 0.101);
    }

    #[test]
    fn littles_law() {
        let model = Model {
            slots: None,
            cores: 10,
            compute_us: 0,
            wait_us: 101_000,
        };
        let simulated = model.simulate(Arrivals::Every(50_000, 100));
        let off = (simulated.in_flight / 1010.0 - 1.0).abs();
        assert!(off < 1e-4, "{} and not 1010", simulated.in_flight);
    }

    #[test]
    fn a_core_caps_the_rate() {
        let model = Model {
            slots: None,
            cores: 1,
            compute_us: 1000,
            wait_us: 100_000,
        };
        near(model.simulate(Arrivals::AtOnce(20_000)).rate, 1000.0);
    }
}
