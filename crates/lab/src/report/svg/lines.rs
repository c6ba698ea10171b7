//! Lines over a number.

use std::fmt::Write;

use super::scale::Scale;
use super::{
    COLOURS, LEGEND_COLUMNS, TOP, WIDTH, begin, dash, escape, label_at, line, push_legend,
};
use crate::report::plot::{Axis, Lines, Mark};

pub(super) fn draw(plot: &Lines) -> String {
    const LINES_LEFT: f64 = 86.0;
    const HEIGHT: f64 = 320.0;
    let legend_rows = plot.series.len().div_ceil(LEGEND_COLUMNS) as f64;
    let top = TOP + 20.0 * legend_rows;
    let bottom = top + HEIGHT;
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let x = Scale::new(
        plot.x.log,
        points().map(|point| point.0),
        LINES_LEFT,
        WIDTH - 30.0,
    );
    let y = Scale::new(plot.y.log, points().map(|point| point.1), bottom, top);
    let mut svg = begin(&plot.title, bottom + 50.0);
    let names = plot
        .series
        .iter()
        .map(|series| (series.name.as_str(), series.mark));
    push_legend(&mut svg, names, LINES_LEFT, TOP);
    for tick in x.ticks() {
        line(
            &mut svg,
            (x.place(tick), top),
            (x.place(tick), bottom),
            "grid",
        );
        label_at(
            &mut svg,
            x.place(tick),
            bottom + 16.0,
            "middle",
            &plot.x.unit.tick(tick),
        );
    }
    for tick in y.ticks() {
        line(
            &mut svg,
            (LINES_LEFT, y.place(tick)),
            (WIDTH - 30.0, y.place(tick)),
            "grid",
        );
        label_at(
            &mut svg,
            LINES_LEFT - 6.0,
            y.place(tick) + 4.0,
            "end",
            &plot.y.unit.tick(tick),
        );
    }
    for (number, series) in plot.series.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let places = series
            .points
            .iter()
            .map(|(px, py)| (x.place(*px), y.place(*py)));
        let path: Vec<_> = places
            .clone()
            .map(|(px, py)| format!("{px:.1},{py:.1}"))
            .collect();
        let dash = dash(series.mark);
        let _ = writeln!(
            svg,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>"#,
            path.join(" ")
        );
        if series.mark == Mark::Measured {
            for (px, py) in places {
                let _ = writeln!(
                    svg,
                    r#"<circle cx="{px:.1}" cy="{py:.1}" r="3.5" fill="{colour}"/>"#
                );
            }
        }
    }
    label_at(
        &mut svg,
        (LINES_LEFT + WIDTH) / 2.0,
        bottom + 38.0,
        "middle",
        &axis_label(&plot.x),
    );
    let middle = (top + bottom) / 2.0;
    let _ = writeln!(
        svg,
        r#"<text transform="translate(16 {middle}) rotate(-90)" text-anchor="middle">{}</text>"#,
        escape(&axis_label(&plot.y))
    );
    svg + "</svg>\n"
}

fn axis_label(axis: &Axis) -> String {
    let scale = if axis.log { " (logarithmic)" } else { "" };
    format!("{}{scale}", axis.label)
}
