//! What commands have printed, with the machine and the date: `docs/figures`.
//!
//! A record is a text file. Its first line is the command, its second says when
//! and on what it was run, and the rest is what it printed:
//!
//! ```text
//! $ cargo run --release -p lab -- together --json
//! # 2026-11-29, linux x86_64, 2 processors
//! {"experiment":"together", …
//! ```
//!
//! No figure in the book comes from anywhere else.

use serde_json::Value;

/// Puts the words of a cell into the page's language.
pub(crate) type Say<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// One file of `docs/figures`.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) command: String,
    /// When and on what.
    pub(crate) made: String,
    pub(crate) output: String,
}

impl Record {
    pub(crate) fn parse(text: &str) -> Result<Record, String> {
        let mut parts = text.splitn(3, '\n');
        let mut part = |mark| parts.next()?.strip_prefix(mark).map(str::to_owned);
        let wrong = "is no record: the first line is `$ command`, the second `# date, machine`";
        let (Some(command), Some(made)) = (part("$ "), part("# ")) else {
            return Err(wrong.to_owned());
        };
        let output = parts.next().unwrap_or_default().to_owned();
        Ok(Record {
            command,
            made,
            output,
        })
    }

    /// One figure. Of text, it is what stands behind a line's first words. Of
    /// JSON, it is a fact by its name, or a cell by its row's first cell and its
    /// column. `say` puts a cell's words into the page's language.
    pub(crate) fn value(&self, path: &[&str], say: Say) -> Result<String, String> {
        let found = match (self.json(), path) {
            (None, [label]) => self.output.lines().find_map(|line| {
                let rest = line.trim_start().strip_prefix(label)?;
                let rest = rest.strip_prefix([':', ' '])?;
                // What stands in parentheses is a remark.
                let value = rest.split(" (").next().unwrap_or(rest);
                Some(unbroken(value.trim()))
            }),
            (Some(json), [fact]) => shown(&json["facts"][*fact], say)?,
            (Some(json), [row, column]) => {
                let mut tables = json["tables"].as_array().into_iter().flatten();
                let found = tables.find_map(|table| cell(table, row, column));
                found.map_or(Ok(None), |cell| shown(cell, say))?
            }
            _ => None,
        };
        found.ok_or_else(|| format!("has no value {}", path.join(" | ")))
    }

    /// A table in Markdown. `columns` are its columns' names in the page's
    /// language; those of the record, if there are none. `say` does the same for
    /// the words in its cells.
    pub(crate) fn table(&self, number: &str, columns: &[&str], say: Say) -> Result<String, String> {
        let number: usize = number.parse().map_err(|_| "needs a table's number")?;
        let json = self.json().ok_or("is not JSON, so it has no table")?;
        let table = &json["tables"][number];
        let own = names(table);
        if own.is_empty() {
            return Err(format!("has no table {number}"));
        }
        let columns: Vec<_> = match columns {
            [] => own.clone(),
            named if named.len() == own.len() => named.to_vec(),
            _ => return Err(format!("has the columns {}", own.join(" | "))),
        };
        let mut lines = vec![columns.join(" | "), vec!["---"; columns.len()].join(" | ")];
        for row in table["rows"].as_array().into_iter().flatten() {
            let cells = row.as_array().into_iter().flatten();
            let cells = cells.map(|cell| Ok(plain(&shown(cell, say)?.unwrap_or_default())));
            lines.push(cells.collect::<Result<Vec<_>, String>>()?.join(" | "));
        }
        let rows = lines.iter().map(|line| format!("| {line} |\n"));
        Ok(rows.collect())
    }

    fn json(&self) -> Option<Value> {
        serde_json::from_str(&self.output).ok()
    }
}

/// The lines of `output` from the first that begins with `from`, to before the next
/// that begins with `to`.
pub(crate) fn section(output: &str, from: &str, to: &str) -> Result<String, String> {
    let lines = output.lines().skip_while(|line| !line.starts_with(from));
    let lines: Vec<_> = lines.collect();
    let end = lines.iter().position(|line| line.starts_with(to));
    match end {
        Some(end) if end > 0 => Ok(lines[..end].join("\n")),
        _ => Err(format!("has no lines from {from} to before {to}")),
    }
}

/// A cell by its row's first cell and its column.
fn cell<'a>(table: &'a Value, row: &str, column: &str) -> Option<&'a Value> {
    let column = names(table).iter().position(|name| *name == column)?;
    let rows = table["rows"].as_array()?;
    let row = rows.iter().find(|cells| cells[0].as_str() == Some(row))?;
    row.get(column)
}

/// What a table's columns are called.
fn names(table: &Value) -> Vec<&str> {
    let names = table["columns"].as_array().into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// A cell as the lab shows it.
fn shown(value: &Value, say: Say) -> Result<Option<String>, String> {
    let words = match value {
        Value::String(text) => text,
        Value::Number(number) => return Ok(Some(number.to_string())),
        Value::Object(cell) => match (&cell.get("shown"), cell.get("not_measured")) {
            (Some(figure), _) => return Ok(figure.as_str().map(unbroken)),
            (None, Some(Value::String(why))) => why,
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    say(words).map(Some)
}

/// A cell as it is, in a table in Markdown: one cell, and no tag.
fn plain(cell: &str) -> String {
    cell.replace('|', "\\|").replace('<', "&lt;")
}

/// A figure and its unit, which stay on one line: with U+00A0 between them.
fn unbroken(figure: &str) -> String {
    let mut before = ' ';
    let held = figure.chars().map(|c| {
        let space = c == ' ' && before.is_ascii_digit();
        before = c;
        if space { '\u{a0}' } else { c }
    });
    held.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_it_is(cell: &str) -> Result<String, String> {
        Ok(cell.to_owned())
    }

    #[test]
    fn figures_are_found_in_text() {
        let record =
            Record::parse("$ x\n# today\npeak threads    1,001\nAll: 3 ms (all)\n").expect("one");
        assert_eq!((&*record.command, &*record.made), ("x", "today"));
        assert_eq!(
            record.value(&["peak threads"], &as_it_is),
            Ok("1,001".to_owned())
        );
        assert_eq!(
            record.value(&["All"], &as_it_is),
            Ok("3\u{a0}ms".to_owned())
        );
        assert!(record.value(&["peak"], &as_it_is).is_ok());
        assert!(record.value(&["memory"], &as_it_is).is_err());
        assert!(Record::parse("peak threads 3").is_err());
    }

    #[test]
    fn a_section_ends_before_the_next() {
        let output = "a\nb 1\n c\nd";
        assert_eq!(section(output, "b", "d"), Ok("b 1\n c".to_owned()));
        assert!(section(output, "b", "x").is_err());
        assert!(section(output, "x", "d").is_err());
    }

    #[test]
    fn figures_are_found_in_json() {
        let json = r#"{"facts": {"x": 3}, "tables": [{"columns": ["who", "time"],
            "rows": [["a", {"shown": "4 ms"}], ["b", {"not_measured": "no"}]]}]}"#;
        let record = Record::parse(&format!("$ x\n# today\n{json}")).expect("one");
        assert_eq!(record.value(&["x"], &as_it_is), Ok("3".to_owned()));
        assert_eq!(
            record.value(&["a", "time"], &as_it_is),
            Ok("4\u{a0}ms".to_owned())
        );
        assert!(record.value(&["c", "time"], &as_it_is).is_err());
        let table = "| 谁 | 多久 |\n| --- | --- |\n| a | 4\u{a0}ms |\n| b | no |\n";
        assert_eq!(
            record.table("0", &["谁", "多久"], &as_it_is),
            Ok(table.to_owned())
        );
        assert!(record.table("0", &["one"], &as_it_is).is_err());
        let missing = record.table("1", &[], &as_it_is);
        assert_eq!(missing, Err("has no table 1".to_owned()));
    }

    #[test]
    fn a_cell_stays_one_cell_and_is_no_tag() {
        let json = r#"{"tables": [{"columns": ["who"], "rows": [["a | Vec<b>"]]}]}"#;
        let record = Record::parse(&format!("$ x\n# today\n{json}")).expect("one");
        let table = "| who |\n| --- |\n| a \\| Vec&lt;b> |\n";
        assert_eq!(record.table("0", &[], &as_it_is), Ok(table.to_owned()));
    }
}
