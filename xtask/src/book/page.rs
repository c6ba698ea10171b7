//! What lies in `docs/en` and `docs/zh`: a summary, and a page for each of its
//! entries.

use std::fs;
use std::path::Path;

use crate::ended::{Doing, Failure};
use crate::exercise::is_left_there;

/// One of the two languages of the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    English,
    Chinese,
}

/// The book in one language.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) language: Language,
    pub(crate) summary: String,
    pub(crate) pages: Vec<Page>,
}

/// One page, as it was written.
#[derive(Debug)]
pub(crate) struct Page {
    /// The file: `1-threads.md`.
    pub(crate) name: String,
    /// As the summary has it.
    pub(crate) title: String,
    /// `None`: it is in the summary, and nobody has written it.
    pub(crate) text: Option<String>,
}

impl Language {
    pub(crate) const BOTH: [Language; 2] = [Language::English, Language::Chinese];

    /// The folder, and the `lang` of its pages.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Chinese => "zh",
        }
    }

    /// Itself, in itself.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Chinese => "中文",
        }
    }

    pub(crate) fn other(self) -> Language {
        match self {
            Language::English => Language::Chinese,
            Language::Chinese => Language::English,
        }
    }
}

impl Book {
    pub(crate) fn read(docs: &Path, language: Language) -> Result<Book, Failure> {
        let folder = docs.join(language.code());
        let summary = read(&folder.join("SUMMARY.md"))?;
        let mut pages = Vec::new();
        for line in summary.lines() {
            if let Some((title, name)) = entry(line) {
                let path = folder.join(name);
                let text = path.exists().then(|| read(&path)).transpose()?;
                pages.push(Page {
                    name: name.to_owned(),
                    title: title.to_owned(),
                    text,
                });
            }
        }
        let extra = fs::read_dir(&folder).doing(format!("reading {}", folder.display()))?;
        for entry in extra {
            let entry = entry.doing(format!("reading {}", folder.display()))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if is_left_there(&name) {
                continue;
            }
            if name != "SUMMARY.md" && !pages.iter().any(|page| page.name == name) {
                let what = format!("docs/{}/{name} is not in SUMMARY.md", language.code());
                return Err(Failure::Obstacle(what));
            }
        }
        Ok(Book {
            language,
            summary,
            pages,
        })
    }

    /// The pages that are not there, as `en/2-pool.md`.
    pub(crate) fn unwritten(&self) -> impl Iterator<Item = String> {
        let missing = self.pages.iter().filter(|page| page.text.is_none());
        missing.map(|page| self.place(page))
    }

    /// How a page is called in a complaint.
    pub(crate) fn place(&self, page: &Page) -> String {
        format!("{}/{}", self.language.code(), page.name)
    }
}

/// A line of a page, and whether it stands inside a fenced block.
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    /// The words behind the opening fence.
    pub(crate) fence: Option<&'a str>,
}

/// The lines of a page without those that are fences.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence = None;
    text.lines().filter_map(move |text| {
        if let Some(words) = text.trim_start().strip_prefix("```") {
            fence = match fence {
                None => Some(words.trim()),
                Some(_) => None,
            };
            return None;
        }
        Some(Line { text, fence })
    })
}

/// Title and file of a line of the summary that names a page.
fn entry(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once('[')?;
    let (title, rest) = rest.split_once("](")?;
    let (name, _) = rest.split_once(')')?;
    Some((title, name))
}

pub(crate) fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).doing(format!("reading {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_names_its_pages() {
        assert_eq!(
            entry("- [The pool](2-pool.md)"),
            Some(("The pool", "2-pool.md"))
        );
        assert_eq!(entry("# Summary"), None);
    }

    #[test]
    fn lines_know_their_fence() {
        let text = "a\n```sh\nb\n```\nc\n";
        let seen: Vec<_> = lines(text).map(|line| (line.text, line.fence)).collect();
        assert_eq!(seen, [("a", None), ("b", Some("sh")), ("c", None)]);
    }
}
