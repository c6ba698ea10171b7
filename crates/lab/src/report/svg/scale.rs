//! Where values stand on an axis, and where it has labels.

/// An axis between two coordinates.
pub(super) struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale for `values` between two coordinates. It begins at zero, or on a
    /// logarithmic axis at the power of ten below.
    pub(super) fn new(log: bool, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let usable = |value: &f64| value.is_finite() && (!log || *value > 0.0);
        let values: Vec<f64> = values.filter(usable).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = match (values.is_empty(), log) {
            (true, _) => (if log { 1.0 } else { 0.0 }, 10.0),
            (false, true) => {
                let low = round_down(least);
                (low, round_up(most).max(low * 10.0))
            }
            (false, false) => (least.min(0.0), if most > 0.0 { most * 1.05 } else { 1.0 }),
        };
        Scale {
            log,
            low,
            high,
            from,
            to,
        }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    pub(super) fn ticks(&self) -> Vec<f64> {
        if self.log {
            // One label a decade; three where there are few decades.
            let few = self.high / self.low <= 100.0;
            let steps: &[f64] = if few { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let (from, to) = (
                self.low.log10().floor() as i32,
                self.high.log10().ceil() as i32,
            );
            let all = (from..=to)
                .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
            let inside = |tick: &f64| *tick >= self.low * 0.999 && *tick <= self.high * 1.001;
            return all.filter(inside).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let power = 10f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

/// The next of 1, 2, 5, 10, 20, … that is not above `value`.
fn round_down(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [5.0, 2.0, 1.0].map(|step| step * power);
    steps
        .into_iter()
        .find(|step| *step <= value)
        .unwrap_or(power)
}

/// The next that is not below it.
fn round_up(value: f64) -> f64 {
    let power = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
    steps
        .into_iter()
        .find(|step| *step >= value)
        .unwrap_or(10.0 * power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithmic_scale_has_a_tick_a_decade() {
        let scale = Scale::new(true, [10.0, 100_000.0].into_iter(), 0.0, 400.0);
        assert_eq!(scale.ticks(), [10.0, 100.0, 1000.0, 10_000.0, 100_000.0]);
        assert!((scale.place(100.0) - 100.0).abs() < 1e-6);
    }

    #[test]
    fn few_decades_have_three_ticks_each() {
        let scale = Scale::new(true, [6.0, 90.0].into_iter(), 0.0, 400.0);
        assert_eq!(scale.ticks(), [5.0, 10.0, 20.0, 50.0, 100.0]);
    }
}
