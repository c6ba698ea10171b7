//! What an experiment found, and its three forms: a terminal's text, JSON, and
//! a page.

pub(crate) mod cell;
pub(crate) mod html;
pub(crate) mod plot;
mod svg;
mod text;

use serde_json::{Map, Value, json};

use self::cell::Cell;
use self::plot::Plot;

/// What an experiment found.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// What the article or arithmetic says beforehand.
    pub(crate) predictions: Vec<String>,
    pub(crate) tables: Vec<Table>,
    pub(crate) plots: Vec<Plot>,
    /// How it was measured, what was scaled down, what disturbed it.
    pub(crate) notes: Vec<String>,
    /// Single values by name, for tests and for later comparison.
    pub(crate) facts: Map<String, Value>,
    pub(crate) verdict: Option<Verdict>,
}

/// The closing sentence.
#[derive(Debug, Clone)]
pub(crate) struct Verdict {
    pub(crate) kind: Kind,
    pub(crate) why: String,
}

/// How a claim fared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Holds,
    /// Measured within so many percent of what was predicted.
    Within(f64),
    DoesNotHold,
    /// Not measured here.
    Open,
}

/// Rows of cells under named columns.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(crate) fn new(title: impl Into<String>, columns: &[&str]) -> Self {
        Table {
            title: title.into(),
            columns: columns.iter().map(|name| (*name).to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl Report {
    pub(crate) fn predict(&mut self, text: impl Into<String>) {
        self.predictions.push(text.into());
    }

    pub(crate) fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    pub(crate) fn fact(&mut self, name: impl Into<String>, value: impl Into<Value>) {
        self.facts.insert(name.into(), value.into());
    }

    /// Closes with a claim that either held or did not.
    pub(crate) fn close(&mut self, held: bool, why: impl Into<String>) {
        let kind = if held { Kind::Holds } else { Kind::DoesNotHold };
        let why = why.into();
        self.verdict = Some(Verdict { kind, why });
    }

    /// Closes with the largest distance from a prediction, and how large it may
    /// be. Both are parts of one: 0.1 is ten percent.
    pub(crate) fn close_within(&mut self, worst: f64, allowed: f64, why: impl Into<String>) {
        let (kind, why) = if worst <= allowed {
            (Kind::Within(worst * 100.0), why.into())
        } else {
            let (worst, allowed) = (worst * 100.0, allowed * 100.0);
            let off = format!(
                "off by {worst:.0} %, and {allowed:.0} % were allowed; {}",
                why.into()
            );
            (Kind::DoesNotHold, off)
        };
        self.verdict = Some(Verdict { kind, why });
    }

    /// Closes without an answer.
    pub(crate) fn leave_open(&mut self, why: impl Into<String>) {
        let why = why.into();
        self.verdict = Some(Verdict {
            kind: Kind::Open,
            why,
        });
    }

    /// The closing sentence.
    pub(crate) fn sentence(&self) -> String {
        match &self.verdict {
            None => "Not closed.".to_owned(),
            Some(Verdict { kind, why }) => match kind {
                Kind::Holds => format!("Holds: {why}"),
                Kind::Within(percent) => format!("Holds within {percent:.0} %: {why}"),
                Kind::DoesNotHold => format!("Does not hold here: {why}"),
                Kind::Open => format!("Open: {why}"),
            },
        }
    }

    pub(crate) fn json(&self) -> Value {
        let table = |table: &Table| {
            let rows = table.rows.iter();
            let rows: Vec<Vec<Value>> = rows
                .map(|row| row.iter().map(Cell::json).collect())
                .collect();
            json!({ "title": table.title, "columns": table.columns, "rows": rows })
        };
        json!({
            "predictions": self.predictions,
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "facts": self.facts,
            "notes": self.notes,
            "verdict": match self.verdict.as_ref().map(|verdict| verdict.kind) {
                Some(Kind::Holds) => "holds",
                Some(Kind::Within(_)) => "holds within",
                Some(Kind::DoesNotHold) => "does not hold here",
                Some(Kind::Open) | None => "open",
            },
            "sentence": self.sentence(),
        })
    }
}

/// The larger of the two by the smaller, less one: how far they are apart.
pub(crate) fn distance(measured: f64, predicted: f64) -> f64 {
    (measured / predicted).max(predicted / measured) - 1.0
}
