//! All reports as one page that needs nothing else.

use std::fmt::Write;

use serde_json::Value;

use super::svg::escape;
use super::{Kind, Report, Table};
use crate::experiments::Experiment;

const STYLE: &str = "\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem;
       color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0; font-size: 13px; display: block; overflow-x: auto }
caption { text-align: left; font-weight: 600; padding: .3rem 0 }
th, td { border-bottom: 1px solid #ddd; padding: .25rem .7rem; text-align: left; white-space: nowrap }
td.figure { text-align: right; font-variant-numeric: tabular-nums }
td.none { color: #777 }
code { background: #f3f3f3; padding: .1rem .3rem }
.verdict { border-left: 5px solid #777; padding: .3rem .8rem; background: #f6f6f6 }
.holds { border-color: #009E73 } .not { border-color: #D55E00 }
.claims { color: #666 } svg { max-width: 100%; height: auto; margin: .5rem 0 }
";

/// The page. `took` says how long it all lasted.
pub(crate) fn page(reports: &[(&Experiment, Report)], host: &Value, took: &str) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Five Ways to Wait: the lab</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>Five Ways to Wait: the lab</h1>\n<p>{}</p>\n<p>Everything was measured in {}.</p>\n\
         <table><tr><th>experiment</th><th>claims</th><th>result</th></tr>\n",
        escape(&describe(host)),
        escape(took)
    );
    for (experiment, report) in reports {
        let _ = writeln!(
            page,
            "<tr><td><a href=\"#{0}\">{0}</a></td><td class=\"claims\">{1}</td>\
             <td style=\"white-space: normal\">{2}</td></tr>",
            experiment.name,
            experiment.claims.join(", "),
            escape(&report.sentence())
        );
    }
    page.push_str("</table>\n");
    for (experiment, report) in reports {
        push_report(&mut page, experiment, report);
    }
    page + "</body></html>\n"
}

fn push_report(page: &mut String, experiment: &Experiment, report: &Report) {
    let _ = writeln!(
        page,
        "<h2 id=\"{0}\">{0}: {1}</h2>\n<p class=\"claims\">Claims {2}. \
         <code>cargo run --release -p lab -- {0}</code></p>",
        experiment.name,
        escape(experiment.title),
        experiment.claims.join(", ")
    );
    for prediction in &report.predictions {
        let _ = writeln!(page, "<p><em>Predicted:</em> {}</p>", escape(prediction));
    }
    for plot in &report.plots {
        page.push_str(&plot.svg());
    }
    for table in &report.tables {
        push_table(page, table);
    }
    page.push_str("<ul>\n");
    for note in &report.notes {
        let _ = writeln!(page, "<li>{}</li>", escape(note));
    }
    let class = match report.verdict.as_ref().map(|verdict| verdict.kind) {
        Some(Kind::Holds | Kind::Within(_)) => "holds",
        Some(Kind::DoesNotHold) => "not",
        _ => "",
    };
    let sentence = escape(&report.sentence());
    let _ = writeln!(page, "</ul>\n<p class=\"verdict {class}\">{sentence}</p>");
}

fn push_table(page: &mut String, table: &Table) {
    let _ = write!(
        page,
        "<table><caption>{}</caption>\n<tr>",
        escape(&table.title)
    );
    for column in &table.columns {
        let _ = write!(page, "<th>{}</th>", escape(column));
    }
    page.push_str("</tr>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for cell in row {
            let class = match cell {
                super::cell::Cell::NotMeasured(_) => "none",
                cell if cell.is_figure() => "figure",
                _ => "",
            };
            let _ = write!(page, "<td class=\"{class}\">{}</td>", escape(&cell.show()));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table>\n");
}

fn describe(host: &Value) -> String {
    let fields = host.as_object().into_iter().flatten();
    let words = fields
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            format!("{}: {value}", name.replace('_', " "))
        });
    words.collect::<Vec<_>>().join(" · ")
}
