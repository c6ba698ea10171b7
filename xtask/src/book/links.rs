//! Whether every link of the finished pages leads somewhere in them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::ended::{Doing, Failure};

use super::Complaints;
use super::page::read;

/// Checks all pages below `out`. What a page that is not written yet (`missing`,
/// as `en/2-pool.md`) will have inside, nobody knows.
pub(crate) fn check(out: &Path, missing: &[String]) -> Result<Complaints, Failure> {
    let missing: Vec<_> = missing
        .iter()
        .map(|page| out.join(page.replace(".md", ".html")))
        .collect();
    let mut pages = BTreeMap::new();
    for language in ["en", "zh"] {
        let folder = out.join(language);
        for entry in fs::read_dir(&folder).doing(format!("reading {}", folder.display()))? {
            let path = entry.doing(format!("reading {}", folder.display()))?.path();
            if path
                .extension()
                .is_some_and(|extension| extension == "html")
            {
                let text = read(&path)?;
                pages.insert(path, text);
            }
        }
    }
    let ids: BTreeMap<_, BTreeSet<_>> = pages
        .iter()
        .map(|(path, text)| (path.clone(), values(text, "id").collect()))
        .collect();

    let mut complaints = BTreeSet::new();
    for (path, text) in &pages {
        for link in values(text, "href").chain(values(text, "src")) {
            let (file, fragment) = link.split_once('#').unwrap_or((link, ""));
            if file.contains(':') || file.starts_with("//") {
                continue;
            }
            let target = resolved(path, file);
            let known = ids.get(&target);
            let wrong = if !target.exists() {
                "no such file"
            } else if fragment.is_empty() || missing.contains(&target) {
                continue;
            } else if known.is_some_and(|ids| !ids.contains(fragment)) {
                "no such anchor"
            } else {
                continue;
            };
            let page = path.strip_prefix(out).unwrap_or(path).display();
            complaints.insert(format!("{page}: {link}: {wrong}"));
        }
    }
    Ok(complaints.into_iter().collect())
}

/// The values of an attribute in a page.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {attribute}=\"");
    let parts: Vec<_> = text.split(start.as_str()).skip(1).collect();
    parts.into_iter().filter_map(|rest| rest.split('"').next())
}

/// The file that `link` names on a page.
fn resolved(page: &Path, link: &str) -> PathBuf {
    if link.is_empty() {
        return page.to_owned();
    }
    let mut path = page.parent().unwrap_or(page).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => drop(path.pop()),
            Component::CurDir => {}
            other => path.push(other),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_and_resolved() {
        let page = "<a class=\"x\" href=\"../zh/a.html#b\">, <h2 id=\"c\">";
        assert_eq!(values(page, "href").collect::<Vec<_>>(), ["../zh/a.html#b"]);
        assert_eq!(values(page, "id").collect::<Vec<_>>(), ["c"]);
        let there = resolved(Path::new("/out/en/b.html"), "../zh/a.html");
        assert_eq!(there, Path::new("/out/zh/a.html"));
        assert_eq!(
            resolved(Path::new("/out/en/b.html"), ""),
            Path::new("/out/en/b.html")
        );
    }
}
