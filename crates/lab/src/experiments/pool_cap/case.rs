//! What is run, and what is predicted of it.

use super::{COMPUTE_US, WAIT_US};
use crate::measure::host;
use crate::measure::simulation::{Arrivals, Model};

/// Who runs, with how many.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) name: &'static str,
    /// None: one thread, which does not wait.
    pub(super) workers: Option<usize>,
    /// Fetches in flight.
    pub(super) places: usize,
    /// Jobs a second.
    pub(super) predicted: f64,
}

impl Case {
    pub(super) fn pool(workers: usize) -> Case {
        Case {
            name: "stage2",
            workers: Some(workers),
            places: workers,
            predicted: cap(workers),
        }
    }

    pub(super) fn one_thread(name: &'static str, places: usize) -> Case {
        Case {
            name,
            workers: None,
            places,
            predicted: places as f64 * 1e6 / (places as u64 * COMPUTE_US + WAIT_US) as f64,
        }
    }

    /// How many fetches it gets: what it finishes in `seconds`, in whole rounds.
    pub(super) fn fetches(&self, seconds: f64) -> usize {
        let rounds = (self.predicted * seconds / self.places as f64).ceil() as usize;
        rounds.max(2) * self.places
    }

    /// Jobs a second of `n` fetches, where nothing interferes.
    pub(super) fn simulated(&self, n: usize) -> f64 {
        // One thread computes on one core, however many there are.
        let cores = self.workers.map_or(1, |_| host::cores());
        let model = model(Some(self.places), cores);
        model.simulate(Arrivals::AtOnce(n)).rate
    }
}

/// Where `workers` that wait end, in jobs a second.
pub(super) fn cap(workers: usize) -> f64 {
    workers as f64 * 1e6 / (COMPUTE_US + WAIT_US) as f64
}

/// Jobs that compute and wait, for the simulation.
pub(super) fn model(slots: Option<usize>, cores: usize) -> Model {
    Model {
        slots,
        cores,
        compute_us: COMPUTE_US,
        wait_us: WAIT_US,
    }
}
