//! Several measurements of one thing.

/// Measurements of one thing in runs that took turns with others.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample(Vec<f64>);

impl Sample {
    pub(crate) fn push(&mut self, value: f64) {
        self.0.push(value);
    }

    /// For what may not be measurable here.
    pub(crate) fn push_some(&mut self, value: Option<f64>) {
        self.0.extend(value);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The middle one; of an even number, the mean of the two in the middle.
    pub(crate) fn median(&self) -> Option<f64> {
        self.quantile(0.5)
    }

    pub(crate) fn min(&self) -> Option<f64> {
        self.quantile(0.0)
    }

    pub(crate) fn max(&self) -> Option<f64> {
        self.quantile(1.0)
    }

    /// The value below which a `part` of them lie, between 0 and 1.
    pub(crate) fn quantile(&self, part: f64) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let place = last as f64 * part;
        let (low, high) = (place.floor() as usize, place.ceil() as usize);
        let between = place - place.floor();
        Some(sorted[low] * (1.0 - between) + sorted[high] * between)
    }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Sample(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let of = |values: &[f64]| values.iter().copied().collect::<Sample>().median();
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0]), Some(3.0));
        assert_eq!(of(&[9.0, 1.0, 5.0]), Some(5.0));
        assert_eq!(of(&[4.0, 1.0, 2.0, 9.0]), Some(3.0));
    }
}
