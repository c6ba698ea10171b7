//! Plots as SVG: text with coordinates, so it is written by hand.

mod bars;
mod lines;
mod scale;

use std::fmt::Write;

use super::plot::{Mark, Plot};

/// Colours that people with a colour-vision deficiency tell apart (Okabe and Ito).
const COLOURS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#555555",
];
const WIDTH: f64 = 760.0;
const TOP: f64 = 44.0;
const LEGEND_COLUMNS: usize = 3;

impl Plot {
    /// A whole SVG document.
    pub(crate) fn svg(&self) -> String {
        match self {
            Plot::Bars(bars) => bars::draw(bars),
            Plot::Lines(lines) => lines::draw(lines),
        }
    }
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

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::cell::Unit;
    use crate::report::plot::Bars;

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
