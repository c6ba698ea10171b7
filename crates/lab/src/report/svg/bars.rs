//! A bar for each value.

use std::fmt::Write;

use super::scale::Scale;
use super::{COLOURS, LEGEND_COLUMNS, TOP, WIDTH, begin, label_at, line, push_legend};
use crate::report::cell::Unit;
use crate::report::plot::{Bars, Mark};

/// Room for the names of the bars, and for the values behind them.
const LEFT: f64 = 190.0;
const RIGHT: f64 = 90.0;

pub(super) fn draw(plot: &Bars) -> String {
    const BAR: f64 = 16.0;
    let group = BAR * plot.series.len().max(1) as f64 + 10.0;
    let legend = match plot.series.len() {
        0 | 1 => 0.0,
        several => 22.0 * several.div_ceil(LEGEND_COLUMNS) as f64,
    };
    let bottom = TOP + legend + group * plot.bars.len() as f64;
    let values = plot
        .bars
        .iter()
        .flat_map(|(_, values)| values.iter().flatten().copied());
    let scale = Scale::new(plot.log, values, LEFT, WIDTH - RIGHT);
    let mut svg = begin(&plot.title, bottom + 46.0);
    if plot.series.len() > 1 {
        let names = plot
            .series
            .iter()
            .map(|name| (name.as_str(), Mark::Measured));
        push_legend(&mut svg, names, LEFT, TOP);
    }
    for tick in scale.ticks() {
        let x = scale.place(tick);
        let label = plot.unit.tick(tick);
        line(&mut svg, (x, TOP + legend - 4.0), (x, bottom), "grid");
        label_at(&mut svg, x, bottom + 16.0, "middle", &label);
    }
    for (place, (name, values)) in plot.bars.iter().enumerate() {
        let top = TOP + legend + group * place as f64 + 2.0;
        let middle = top + BAR * values.len() as f64 / 2.0 + 4.0;
        label_at(&mut svg, LEFT - 8.0, middle, "end", name);
        for (series, value) in values.iter().enumerate() {
            let y = top + BAR * series as f64;
            let (end, shown) = match value {
                Some(value) => (scale.place(*value), plot.unit.show(*value)),
                None => (LEFT, "not measured here".to_owned()),
            };
            let (width, height) = ((end - LEFT).max(1.0), BAR - 2.0);
            let colour = COLOURS[series % COLOURS.len()];
            let _ = writeln!(
                svg,
                r#"<rect x="{LEFT}" y="{y:.1}" width="{width:.1}" height="{height}" fill="{colour}"/>"#
            );
            label_at(&mut svg, LEFT + width + 5.0, y + BAR - 5.0, "start", &shown);
        }
    }
    let scale_name = if plot.log { ", logarithmic" } else { "" };
    let axis = format!("{}{scale_name}", axis_name(plot.unit));
    label_at(
        &mut svg,
        (LEFT + WIDTH - RIGHT) / 2.0,
        bottom + 36.0,
        "middle",
        &axis,
    );
    svg + "</svg>\n"
}

fn axis_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::Microseconds => "time",
        Unit::PerSecond => "per second",
        Unit::Count => "number",
        Unit::Share => "share",
        Unit::Ratio => "ratio",
    }
}
