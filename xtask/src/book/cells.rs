//! The words in the lab's tables, in Chinese: `docs/cells.zh.txt`.
//!
//! The lab speaks English, and its figures are the same in every language. What a
//! row is called is not a figure, and a Chinese reader should not stumble over it:
//!
//! ```text
//! until WouldBlock = 读到 WouldBlock 为止
//! thread 'deep' * = 线程 deep 的栈溢出
//! ```
//!
//! A `*` at the end stands for whatever follows, such as a number that is
//! another one in each run.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;

use crate::ended::Failure;

use super::Complaints;
use super::page::{Language, read};

const FILE: &str = "docs/cells.zh.txt";

#[derive(Debug)]
pub(crate) struct Cells {
    entries: Vec<Entry>,
    used: RefCell<BTreeSet<usize>>,
}

#[derive(Debug)]
struct Entry {
    english: String,
    chinese: String,
}

impl Cells {
    pub(crate) fn read(root: &Path) -> Result<Cells, Failure> {
        Cells::parse(&read(&root.join(FILE))?)
            .map_err(|line| Failure::Obstacle(format!("{FILE}: {line}: is not `english = 中文`")))
    }

    fn parse(text: &str) -> Result<Cells, String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let entries = lines.map(|line| {
            let (english, chinese) = line.split_once(" = ").ok_or(line)?;
            let (english, chinese) = (english.trim().to_owned(), chinese.trim().to_owned());
            // A cell without words would take the place of a figure.
            match english.is_empty() || english == "*" || chinese.is_empty() {
                true => Err(line),
                false => Ok(Entry { english, chinese }),
            }
        });
        Ok(Cells {
            entries: entries.collect::<Result<_, &str>>()?,
            used: RefCell::default(),
        })
    }

    /// What a cell says in a language of the book. An error: it has words, and
    /// nobody has translated them.
    pub(crate) fn say(&self, cell: &str, language: Language) -> Result<String, String> {
        if language == Language::English {
            return Ok(cell.to_owned());
        }
        match self.entries.iter().position(|entry| entry.is_for(cell)) {
            Some(number) => {
                self.used.borrow_mut().insert(number);
                Ok(self.entries[number].chinese.clone())
            }
            None if has_words(cell) => Err(format!("{FILE} has no line for `{cell}`")),
            None => Ok(cell.to_owned()),
        }
    }

    /// Lines that no page has any use for.
    pub(crate) fn unused(&self) -> Complaints {
        let used = self.used.borrow();
        let entries = self.entries.iter().enumerate();
        let unused = entries.filter(|(number, _)| !used.contains(number));
        unused
            .map(|(_, entry)| format!("{FILE}: no table says `{}`", entry.english))
            .collect()
    }
}

impl Entry {
    fn is_for(&self, cell: &str) -> bool {
        match self.english.strip_suffix('*') {
            Some(beginning) => cell.starts_with(beginning),
            None => cell == self.english,
        }
    }
}

/// Whether a cell has more to say than a number or a name, such as `stage4-enum`.
fn has_words(cell: &str) -> bool {
    cell.contains(' ') && cell.chars().any(|c| c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_translated_and_names_are_not() {
        let cells = Cells::parse("no = 否\n\nthread 'deep' * = 溢出\n").expect("two lines");
        let say = |cell| cells.say(cell, Language::Chinese);
        assert_eq!(say("no"), Ok("否".to_owned()));
        assert_eq!(
            say("thread 'deep' (77) has overflowed"),
            Ok("溢出".to_owned())
        );
        for cell in ["stage4-enum", "Reactor::run", "31.0 (17.0)", ""] {
            assert_eq!(say(cell), Ok(cell.to_owned()));
        }
        assert!(say("nobody else").is_err());
        assert_eq!(
            cells.say("nobody", Language::English),
            Ok("nobody".to_owned())
        );
    }

    #[test]
    fn a_line_without_a_use_is_noticed() {
        let cells = Cells::parse("no = 否\nyes = 是").expect("two lines");
        assert_eq!(cells.unused().len(), 2);
        cells.say("yes", Language::Chinese).expect("a line");
        assert_eq!(cells.unused(), [format!("{FILE}: no table says `no`")]);
        for wrong in ["no", "no = ", " = 否", "* = 否"] {
            assert!(Cells::parse(wrong).is_err(), "{wrong}");
        }
    }
}
