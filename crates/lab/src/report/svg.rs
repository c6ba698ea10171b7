//! Plots as SVG: text with coordinates, so it is written by hand.

use std::fmt::Write;

use super::cell::Unit;
use super::plot::{Axis, Bars, Lines, Mark, Plot};

/// Colours that people with a colour-vision deficiency tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555",
];
const WIDTH: f64 = 760.0;
const LEFT: f64 = 190.0;
const RIGHT: f64 = 90.0;
const TOP: f64 = 44.0;
const LEGEND_COLUMNS: usize = 3;

impl Plot {
    /// A whole SVG document.
    pub(crate) fn svg(&self) -> String {
        match self {
            Plot::Bars(bars) => draw_bars(bars),
            Plot::Lines(lines) => draw_lines(lines),
        }
    }
}

/// Where values stand on an axis.
struct Scale {
    log: bool,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale for `values` between two coordinates. It begins at zero, or on a
    /// logarithmic axis at the power of ten below.
    fn new(log: bool, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
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

    fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.log {
            // One label a decade; three where there are few decades.
            let few = self.high / self.low <= 1000.0;
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

fn draw_bars(plot: &Bars) -> String {
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
        let label = plot.unit.show(tick);
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

fn draw_lines(plot: &Lines) -> String {
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
            &plot.x.unit.show(tick),
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
            &plot.y.unit.show(tick),
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

fn begin(title: &str, height: f64) -> String {
    let title = escape(title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{title}" font-family="system-ui, sans-serif" font-size="12" fill="#222">
<style>.grid {{ stroke: #ddd; stroke-width: 1 }}</style>
<rect width="100%" height="100%" fill="#fff"/>
<text x="10" y="22" font-size="15" font-weight="600">{title}</text>
"##
    )
}

fn push_legend<'a>(svg: &mut String, names: impl Iterator<Item = (&'a str, Mark)>, x: f64, y: f64) {
    for (number, (name, mark)) in names.enumerate() {
        let x = x + (number % LEGEND_COLUMNS) as f64 * 205.0;
        let y = y + (number / LEGEND_COLUMNS) as f64 * 20.0;
        let colour = COLOURS[number % COLOURS.len()];
        let dash = dash(mark);
        let _ = writeln!(
            svg,
            r#"<line x1="{x}" y1="{y}" x2="{}" y2="{y}" stroke="{colour}" stroke-width="4"{dash}/>"#,
            x + 22.0
        );
        label_at(svg, x + 27.0, y + 4.0, "start", name);
    }
}

fn dash(mark: Mark) -> &'static str {
    match mark {
        Mark::Measured => "",
        Mark::Predicted => r#" stroke-dasharray="7 5""#,
        Mark::Simulated => r#" stroke-dasharray="2 3""#,
    }
}

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), class: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        r#"<line x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}" class="{class}"/>"#
    );
}

fn label_at(svg: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    let text = escape(text);
    let _ = writeln!(
        svg,
        r#"<text x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#
    );
}

fn axis_label(axis: &Axis) -> String {
    let scale = if axis.log { " (logarithmic)" } else { "" };
    format!("{}{scale}", axis.label)
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

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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

    #[test]
    fn a_plot_without_values_is_still_a_picture() {
        let bars = Bars {
            title: "a < b".to_owned(),
            unit: Unit::Bytes,
            log: true,
            series: vec!["only".to_owned()],
            bars: vec![("x".to_owned(), vec![None])],
        };
        let svg = Plot::Bars(bars).svg();
        assert!(svg.contains("a &lt; b") && svg.contains("not measured here"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
    }
}
