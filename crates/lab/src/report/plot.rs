//! What a picture shows; `svg` draws it.

use super::cell::Unit;

/// A picture.
#[derive(Debug, Clone)]
pub(crate) enum Plot {
    Bars(Bars),
    Lines(Lines),
}

/// A bar for each name, in groups where there are several values for one.
#[derive(Debug, Clone)]
pub(crate) struct Bars {
    pub(crate) title: String,
    pub(crate) unit: Unit,
    pub(crate) log: bool,
    /// What each value of a bar's group is.
    pub(crate) series: Vec<String>,
    pub(crate) bars: Vec<(String, Vec<Option<f64>>)>,
}

/// Points over a number, joined by lines.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
}

/// A scale, and what it counts.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) unit: Unit,
    pub(crate) log: bool,
}

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) mark: Mark,
    pub(crate) points: Vec<(f64, f64)>,
}

/// How a line looks: what was calculated differs from what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    Measured,
    Predicted,
    Simulated,
}
