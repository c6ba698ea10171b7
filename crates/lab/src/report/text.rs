//! A report in a terminal.

use std::fmt::Write;

use super::{Report, Table};

/// Longer notes are broken.
const WIDTH: usize = 100;

impl Report {
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for prediction in &self.predictions {
            push_wrapped(&mut text, "predicted: ", prediction);
        }
        for table in &self.tables {
            text.push('\n');
            push_table(&mut text, table);
        }
        text.push('\n');
        for note in &self.notes {
            push_wrapped(&mut text, "- ", note);
        }
        push_wrapped(&mut text, "", &self.sentence());
        text
    }
}

fn push_table(text: &mut String, table: &Table) {
    let rows: Vec<Vec<String>> = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| cell.show()).collect())
        .collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.chain(table.columns.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let _ = writeln!(text, "{}", table.title);
    push_line(text, &widths, &table.columns, |column| column == 0);
    for (row, cells) in table.rows.iter().zip(&rows) {
        push_line(text, &widths, cells, |column| !row[column].is_figure());
    }
}

fn push_line(text: &mut String, widths: &[usize], cells: &[String], left: impl Fn(usize) -> bool) {
    let mut line = String::from(" ");
    for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
        let _ = if left(column) {
            write!(line, " {cell:<width$} ")
        } else {
            write!(line, " {cell:>width$} ")
        };
    }
    text.push_str(line.trim_end());
    text.push('\n');
}

fn push_wrapped(text: &mut String, first: &str, words: &str) {
    let indent = " ".repeat(first.chars().count());
    let mut line = first.to_owned();
    let mut length = first.chars().count();
    for word in words.split_whitespace() {
        let more = word.chars().count() + 1;
        if length + more > WIDTH {
            text.push_str(line.trim_end());
            text.push('\n');
            line.clone_from(&indent);
            length = indent.len();
        }
        line.push_str(word);
        line.push(' ');
        length += more;
    }
    text.push_str(line.trim_end());
    text.push('\n');
}
