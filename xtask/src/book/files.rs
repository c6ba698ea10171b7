//! The files of the repository that the book leads to, as pages beside it: so
//! they open in any browser, wherever the book lies.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::ended::{Doing, Failure};

use super::page::read;

/// The page of a file. No dot but the last: mdBook takes `README.md.html` for one of
/// its own.
pub(crate) fn page(file: &str) -> String {
    format!("{}.html", file.replace('.', "-"))
}

/// Writes each of `files`, which are paths from the root, as a page below `out`.
pub(crate) fn write(root: &Path, files: &BTreeSet<String>, out: &Path) -> Result<(), Failure> {
    for file in files {
        let text = escaped(&read(&root.join(file))?);
        let page = out.join(page(file));
        let html = format!(
            "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <meta name=\"color-scheme\" content=\"light dark\">\
             <title>{file}</title></head>\n<body><h1 style=\"font: bold 1rem monospace\">{file}</h1>\n\
             <pre style=\"overflow-x: auto\">\n{text}</pre></body></html>\n"
        );
        write_text(&page, &html)?;
    }
    Ok(())
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
