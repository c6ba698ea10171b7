//! From a page as it is written to the Markdown that mdBook gets.
//!
//! Directives stand on a line of their own, `value` anywhere in a line:
//!
//! ```text
//! {{#code PATH | ITEM | ITEM…}}        items of a source file; without ITEM, all of it
//! {{#diff PATH | ITEM | PATH | ITEM}}  two items, with the changed lines marked
//! {{#output NAME | FROM | TO}}         what a record's command printed; with FROM and TO,
//!                                      from a line that begins so to before one that does
//! {{#table NAME | NUMBER | COLUMN…}}   a table of a record
//! {{#value NAME | …}}                  one figure of a record
//! {{#made NAME}}                       a record's command, when and where it was run
//! {{#picture NAME | WORDS}}            a picture, and what it shows
//! ```
//!
//! A link to `repo:PATH` leads to that file of the repository.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::ended::Failure;

use super::cells::Cells;
use super::files::write_text;
use super::page::{Book, Language, Page, read};
use super::record::Record;
use super::{Complaints, diff, files, html, item, mdbook, picture, record};

/// The state while pages are expanded.
#[derive(Debug)]
pub(crate) struct Expansion {
    root: PathBuf,
    cells: Cells,
    files: BTreeSet<String>,
}

/// A directive, in its parts.
#[derive(Debug)]
pub(crate) struct Directive<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: Vec<&'a str>,
}

impl<'a> Directive<'a> {
    /// The first one in a text, with what stands before and after it.
    pub(crate) fn first(text: &'a str) -> Option<(&'a str, Directive<'a>, &'a str)> {
        let (before, rest) = text.split_once("{{#")?;
        let (inside, after) = rest.split_once("}}")?;
        let (name, arguments) = inside.split_once(' ').unwrap_or((inside, ""));
        let arguments = arguments.split(" | ").map(str::trim).collect();
        Some((before, Directive { name, arguments }, after))
    }
}

impl Expansion {
    pub(crate) fn new(root: &Path) -> Result<Expansion, Failure> {
        Ok(Expansion {
            root: root.to_owned(),
            cells: Cells::read(root)?,
            files: BTreeSet::new(),
        })
    }

    /// The files of the repository that were linked to, from its root.
    pub(crate) fn files(&self) -> &BTreeSet<String> {
        &self.files
    }

    /// What was translated for no page.
    pub(crate) fn unused(&self) -> Complaints {
        self.cells.unused()
    }

    /// Writes what mdBook needs for a book into `out`.
    pub(crate) fn write(
        &mut self,
        book: &Book,
        docs: &Path,
        out: &Path,
    ) -> Result<Complaints, Failure> {
        let mut complaints = Vec::new();
        let css = read(&docs.join("book.css"))?;
        write_text(&out.join("book.css"), &css)?;
        write_text(&out.join("book.toml"), &mdbook::settings(book.language))?;
        write_text(&out.join("src/SUMMARY.md"), &book.summary)?;
        for page in &book.pages {
            let text = match &page.text {
                Some(text) => self
                    .page(text, book.language, page)
                    .unwrap_or_else(|wrong| {
                        complaints.extend(
                            wrong
                                .into_iter()
                                .map(|what| format!("{}: {what}", book.place(page))),
                        );
                        text.clone()
                    }),
                None => format!("# {}\n", page.title),
            };
            write_text(&out.join("src").join(&page.name), &text)?;
        }
        Ok(complaints)
    }

    fn page(&mut self, text: &str, language: Language, page: &Page) -> Result<String, Complaints> {
        let mut expanded = html::switch(language, page);
        let mut wrong = Vec::new();
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.trim_start().starts_with("```");
            if fenced {
                expanded.push_str(line);
            } else {
                match self.line(line, language) {
                    Ok(line) => expanded.push_str(&line),
                    Err(what) => wrong.push(what),
                }
            }
            expanded.push('\n');
        }
        match wrong[..] {
            [] => Ok(expanded),
            _ => Err(wrong),
        }
    }

    fn line(&mut self, line: &str, language: Language) -> Result<String, String> {
        let mut expanded = String::new();
        let mut rest = line;
        while let Some((before, directive, after)) = Directive::first(rest) {
            if directive.name != "value" && !(before.trim().is_empty() && after.trim().is_empty()) {
                return Err(format!(
                    "{} must stand on a line of its own",
                    directive.name
                ));
            }
            expanded.push_str(before);
            let what = self.directive(&directive, language);
            let name = directive.arguments.join(" | ");
            expanded.push_str(&what.map_err(|what| format!("{}: {name}: {what}", directive.name))?);
            rest = after;
        }
        expanded.push_str(rest);
        self.links(&html::summary(&expanded))
    }

    fn directive(&mut self, directive: &Directive, language: Language) -> Result<String, String> {
        let say = |cell: &str| self.cells.say(cell, language);
        match (directive.name, &directive.arguments[..]) {
            ("code", [path, items @ ..]) => {
                let code = self.code(path, items)?;
                Ok(format!(
                    "{}\n````rust,ignore\n{code}\n````\n",
                    self.source(path)
                ))
            }
            ("diff", [old, item_of_old, new, item_of_new]) => {
                let before = self.code(old, &[item_of_old])?;
                let after = self.code(new, &[item_of_new])?;
                let changes = diff::unified(&before, &after);
                let (old, new) = (self.source(old), self.source(new));
                Ok(format!("{old}{new}\n````diff\n{changes}````\n"))
            }
            ("output", [name, section @ ..]) if matches!(section.len(), 0 | 2) => {
                let Record {
                    command,
                    made,
                    output,
                } = self.record(name)?;
                let output = match section {
                    [from, to] => record::section(&output, from, to)?,
                    _ => output,
                };
                Ok(format!(
                    "````console\n$ {command}\n{}\n````\n\n<p class=\"made\">{made}</p>\n",
                    output.trim_end()
                ))
            }
            ("table", [name, number, columns @ ..]) => {
                let record = self.record(name)?;
                let table = record.table(number, columns, &say)?;
                let Record { command, made, .. } = record;
                Ok(format!(
                    "{table}\n<p class=\"made\"><code>{command}</code>; {made}</p>\n"
                ))
            }
            ("made", [name]) => {
                let Record { command, made, .. } = self.record(name)?;
                Ok(format!(
                    "\n<p class=\"made\"><code>{command}</code>; {made}</p>\n"
                ))
            }
            ("value", [name, path @ ..]) => self.record(name)?.value(path, &say),
            ("picture", [name, words @ ..]) => {
                let svg = self.file(&format!("docs/pictures/{name}.svg"))?;
                Ok(picture::inline(&svg, language, &words.join(" | ")))
            }
            (name, _) => Err(format!("there is no directive {name} with these arguments")),
        }
    }

    fn code(&self, path: &str, items: &[&str]) -> Result<String, String> {
        let source = self.file(path)?;
        if items.is_empty() {
            return Ok(source.trim_end().to_owned());
        }
        let items = items.iter().map(|name| item::find(&source, name));
        Ok(items.collect::<Result<Vec<_>, _>>()?.join("\n\n"))
    }

    /// Names a source file, and leads to it.
    fn source(&mut self, path: &str) -> String {
        self.files.insert(path.to_owned());
        format!(
            "<p class=\"source\"><a href=\"../files/{}\">{path}</a></p>\n",
            files::page(path)
        )
    }

    fn record(&self, name: &str) -> Result<Record, String> {
        Record::parse(&self.file(&format!("docs/figures/{name}.txt"))?)
    }

    fn file(&self, path: &str) -> Result<String, String> {
        std::fs::read_to_string(self.root.join(path)).map_err(|error| format!("{path}: {error}"))
    }

    /// Turns links to files of the repository into links to their pages.
    fn links(&mut self, line: &str) -> Result<String, String> {
        let mut parts = line.split("(repo:");
        let mut linked = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (path, rest) = part.split_once(')').ok_or("a link has no end")?;
            if !self.root.join(path).is_file() {
                return Err(format!("there is no file {path}"));
            }
            self.files.insert(path.to_owned());
            linked.push_str(&format!("(../files/{}){rest}", files::page(path)));
        }
        Ok(linked)
    }
}
