//! The files of the repository that the book leads to, as pages beside it: so
//! they open in any browser, wherever the book lies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::ended::{Doing, Failure};

use super::page::{Language, read};

/// The page of a file. No dot but the last: mdBook takes `README.md.html` for one of
/// its own.
pub(crate) fn page(file: &str) -> String {
    format!("{}.html", file.replace('.', "-"))
}

/// Writes each of `files`, which are paths from the root, as a page below `out`.
pub(crate) fn write(root: &Path, files: &BTreeSet<String>, out: &Path) -> Result<(), Failure> {
    for file in files {
        let text = read(&root.join(file))?;
        write_text(&out.join(page(file)), &html(file, &text))?;
    }
    Ok(())
}

/// A file as a page, with the way to the book. Prose may be wrapped where a phone is
/// too narrow for it, code may not.
fn html(file: &str, text: &str) -> String {
    let style = match file.ends_with(".md") {
        true => "white-space: pre-wrap; overflow-wrap: anywhere",
        false => "overflow-x: auto",
    };
    let language = match file.ends_with(".zh.md") {
        true => Language::Chinese,
        false => Language::English,
    };
    let up = "../".repeat(1 + file.matches('/').count());
    let books = Language::BOTH.map(|book| {
        let (code, name) = (book.code(), book.name());
        format!("<a href=\"{up}{code}/index.html\" lang=\"{code}\">{name}</a>")
    });
    let (language, books) = (language.code(), books.join(" "));
    let text = escaped(text);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{language}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"color-scheme\" content=\"light dark\">\
         <title>{file}</title></head>\n\
         <body><nav>{books}</nav>\n\
         <h1 style=\"font: bold 1rem monospace; overflow-wrap: anywhere\">{file}</h1>\n\
         <pre style=\"{style}\">\n{text}</pre></body></html>\n"
    )
}

/// Writes a file, and the folders above it.
pub(crate) fn write_text(path: &Path, text: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).doing(format!("making {}", folder.display()))?;
    }
    fs::write(path, text).doing(format!("writing {}", path.display()))
}

/// `text` as it must stand in HTML.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_prose_is_wrapped() {
        let source = html("src/lib.rs", "a < b && c");
        assert!(source.contains("<title>src/lib.rs</title>"));
        assert!(source.contains("\na &lt; b &amp;&amp; c</pre>"));
        assert!(!source.contains("pre-wrap"));
        assert!(html("README.md", "# A").contains("pre-wrap"));
    }

    #[test]
    fn a_file_leads_back_to_both_books() {
        let page = html("exercises/README.zh.md", "# A");
        assert!(page.contains("<html lang=\"zh\">"));
        assert!(page.contains("<a href=\"../../en/index.html\" lang=\"en\">English</a>"));
        assert!(page.contains("<a href=\"../../zh/index.html\" lang=\"zh\">中文</a>"));
    }
}
