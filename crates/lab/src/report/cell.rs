//! One figure, with its unit; or why there is none.

use serde_json::{Value, json};

use crate::measure::sample::Sample;

/// What stands in one place of a table.
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Text(String),
    Measured(Sample, Unit),
    /// Calculated beforehand.
    Predicted(f64, Unit),
    /// The reason.
    NotMeasured(String),
}

/// What a figure counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Bytes,
    Microseconds,
    PerSecond,
    Count,
    /// A part of one, shown in percent.
    Share,
    /// How many times as much.
    Ratio,
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// A figure measured once.
    pub(crate) fn one(value: f64, unit: Unit) -> Self {
        Cell::Measured([value].into_iter().collect(), unit)
    }

    /// A figure that the system may not have.
    pub(crate) fn some(value: Option<f64>, unit: Unit) -> Self {
        match value {
            Some(value) => Cell::one(value, unit),
            None => Cell::not_here(),
        }
    }

    /// Measured in several runs; the median is shown, with the extremes.
    pub(crate) fn sample(sample: &Sample, unit: Unit) -> Self {
        if sample.is_empty() {
            Cell::not_here()
        } else {
            Cell::Measured(sample.clone(), unit)
        }
    }

    pub(crate) fn not_here() -> Self {
        Cell::NotMeasured("not measured here".to_owned())
    }

    pub(crate) fn show(&self) -> String {
        match self {
            Cell::Text(text) | Cell::NotMeasured(text) => text.clone(),
            Cell::Predicted(value, unit) => unit.show(*value),
            Cell::Measured(sample, unit) => {
                let shown = |value: Option<f64>| unit.show(value.unwrap_or(f64::NAN));
                let (least, most) = (shown(sample.min()), shown(sample.max()));
                let middle = shown(sample.median());
                if least == most {
                    middle
                } else {
                    format!("{middle} ({least} … {most})")
                }
            }
        }
    }

    pub(crate) fn is_figure(&self) -> bool {
        matches!(self, Cell::Measured(..) | Cell::Predicted(..))
    }

    pub(crate) fn json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::NotMeasured(why) => json!({ "not_measured": why }),
            Cell::Predicted(value, unit) => json!({
                "predicted": value,
                "unit": unit.name(),
                "shown": self.show(),
            }),
            Cell::Measured(sample, unit) => json!({
                "median": sample.median(),
                "min": sample.min(),
                "max": sample.max(),
                "unit": unit.name(),
                "shown": self.show(),
            }),
        }
    }
}

impl Unit {
    /// For axes and JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Microseconds => "µs",
            Unit::PerSecond => "per second",
            Unit::Count => "count",
            Unit::Share => "share",
            Unit::Ratio => "times",
        }
    }

    /// A value at an axis, where round numbers stand: bytes are not divided by
    /// 1,024 there.
    pub(crate) fn tick(self, value: f64) -> String {
        match self {
            Unit::Bytes if value >= 1e6 => format!("{} MB", number(value / 1e6)),
            Unit::Bytes if value > 0.0 => format!("{} B", number(value)),
            _ => self.show(value),
        }
    }

    /// A value with its unit, three digits that count.
    pub(crate) fn show(self, value: f64) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        if !value.is_finite() {
            return "–".to_owned();
        }
        let (value, unit) = match self {
            Unit::Bytes => match value.abs() {
                0.0..10_000.0 => (value, " B"),
                10_000.0..10_000_000.0 => (value / 1024.0, " KiB"),
                10_000_000.0..1e10 => (value / 1024.0 / 1024.0, " MiB"),
                _ => (value / 1024.0 / 1024.0 / 1024.0, " GiB"),
            },
            Unit::Microseconds => match value.abs() {
                0.0..0.95 => (value * 1e3, " ns"),
                0.95..1e4 => (value, " µs"),
                1e4..1e7 => (value / 1e3, " ms"),
                _ => (value / 1e6, " s"),
            },
            Unit::PerSecond => (value, "/s"),
            Unit::Count => (value, ""),
            Unit::Share => (value * 100.0, " %"),
            Unit::Ratio => (value, " ×"),
        };
        format!("{}{unit}", number(value))
    }
}

/// Thousands set apart; decimals only where they count.
fn number(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 99.95 || (value - value.round()).abs() < 1e-9 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if value < 0.0 && text.contains(|c| ('1'..='9').contains(&c)) {
        "−"
    } else {
        ""
    };
    format!("{sign}{grouped}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_readable() {
        assert_eq!(Unit::Bytes.show(226.0), "226 B");
        assert_eq!(Unit::Bytes.show(2.0 * 1024.0 * 1024.0), "2,048 KiB");
        assert_eq!(Unit::Microseconds.show(44.81), "44.8 µs");
        assert_eq!(Unit::Microseconds.show(0.0123), "12.3 ns");
        assert_eq!(Unit::Microseconds.show(120_400.0), "120 ms");
        assert_eq!(Unit::Count.show(1_234_567.0), "1,234,567");
        assert_eq!(Unit::Count.show(-1.5), "−1.50");
        assert_eq!(Unit::Ratio.show(2.0), "2 ×");
        assert_eq!(Unit::Bytes.tick(20_000.0), "20,000 B");
        assert_eq!(Unit::Bytes.show(f64::NAN), "–");
    }
}
