//! What the pages must have, and what both languages must have in common.

use std::collections::BTreeSet;

use super::Complaints;
use super::expand::Directive;
use super::page::{Book, Page, lines};

/// The parts of a chapter, by their anchors, in order. `docs/WRITING.md` says
/// what each is for.
const PARTS: [&str; 10] = [
    "goal",
    "command",
    "predict",
    "run",
    "see",
    "why",
    "code",
    "wrong",
    "check",
    "exercises",
];

/// What a page has besides its words.
#[derive(Debug, Default)]
struct Shape {
    anchors: Vec<String>,
    commands: Vec<String>,
    directives: Vec<String>,
    files: Vec<String>,
    folded: Vec<String>,
}

/// What is wrong in one language alone.
pub(crate) fn form(book: &Book) -> Complaints {
    let mut complaints = Vec::new();
    for page in &book.pages {
        let Some(text) = &page.text else { continue };
        let mut complain = |what: String| complaints.push(format!("{}: {what}", book.place(page)));
        for line in lines(text) {
            match line.fence {
                None if line.text.starts_with("##") && !line.text.ends_with('}') => {
                    complain(format!("a heading needs an {{#anchor}}: {}", line.text));
                }
                Some("" | "text" | "sh" | "sh fails") | None => {}
                Some(other) => {
                    complain(format!(
                        "```{other}: code is included, not pasted: {}",
                        line.text
                    ));
                }
            }
        }
        let shape = Shape::of(text);
        for (at, anchor) in shape.anchors.iter().enumerate() {
            if shape.anchors[..at].contains(anchor) {
                complain(format!("the anchor {anchor} stands there twice"));
            }
        }
        for record in shape.unmade() {
            complain(format!("figures of {record} need {{{{#made {record}}}}}"));
        }
        if is_chapter(page) {
            let parts = shape
                .anchors
                .iter()
                .filter(|anchor| PARTS.contains(&anchor.as_str()));
            if !parts.eq(PARTS.iter()) {
                complain(format!("a chapter has the parts {}", PARTS.join(", ")));
            }
        }
    }
    complaints
}

/// What differs between the languages and must not.
pub(crate) fn languages(english: &Book, chinese: &Book) -> Complaints {
    let names =
        |book: &Book| -> Vec<String> { book.pages.iter().map(|page| page.name.clone()).collect() };
    let mut complaints = Vec::new();
    complaints.extend(differ(
        "SUMMARY.md",
        "pages",
        &names(english),
        &names(chinese),
    ));
    for page in &english.pages {
        let other = chinese.pages.iter().find(|other| other.name == page.name);
        let (Some(text), Some(other)) = (&page.text, other.and_then(|other| other.text.as_ref()))
        else {
            continue;
        };
        let (here, there) = (Shape::of(text), Shape::of(other));
        for (what, here, there) in [
            ("anchors", &here.anchors, &there.anchors),
            ("commands", &here.commands, &there.commands),
            (
                "code, figures or pictures",
                &here.directives,
                &there.directives,
            ),
            ("links to files", &here.files, &there.files),
            ("folded answers", &here.folded, &there.folded),
        ] {
            complaints.extend(differ(&page.name, what, here, there));
        }
    }
    complaints
}

impl Shape {
    /// The records of which the page shows figures and does not say when and where
    /// they were measured, as `made`, `table` and `output` do.
    fn unmade(&self) -> BTreeSet<&str> {
        let records = |of: &[&str]| {
            let directives = self
                .directives
                .iter()
                .filter_map(|line| line.split_once(' '));
            let named = directives.filter(|(name, _)| of.contains(name));
            let records = named.map(|(_, arguments)| arguments.split(" | ").next().unwrap_or(""));
            records.collect::<BTreeSet<_>>()
        };
        let made = records(&["made", "table", "output"]);
        records(&["value"]).difference(&made).copied().collect()
    }

    fn of(text: &str) -> Shape {
        let mut shape = Shape::default();
        for line in lines(text) {
            if let Some(fence) = line.fence {
                if fence.starts_with("sh") && !line.text.trim().is_empty() {
                    let command = line.text.split(" #").next().unwrap_or_default().trim();
                    shape.commands.push(format!("{command} ({fence})"));
                }
                continue;
            }
            if line.text.starts_with('#')
                && let Some((_, anchor)) = line.text.split_once("{#")
            {
                shape.anchors.push(anchor.trim_end_matches('}').to_owned());
            }
            if line.text.trim() == "<details>" {
                shape.folded.push("<details>".to_owned());
            }
            let mut rest = line.text;
            while let Some((_, directive, after)) = Directive::first(rest) {
                shape.directives.push(without_words(&directive));
                rest = after;
            }
            for link in line.text.split("(repo:").skip(1) {
                let path = link.split(')').next().unwrap_or_default();
                // An exercise is the same in both of its languages.
                shape.files.push(path.replace("README.zh.md", "README.md"));
            }
        }
        // A sentence may name them in another order.
        shape.files.sort();
        shape
    }
}

/// A directive without the arguments that are in the page's language.
fn without_words(directive: &Directive) -> String {
    let kept = match directive.name {
        "picture" => 1,
        "table" => 2,
        _ => directive.arguments.len(),
    };
    let arguments: Vec<_> = directive.arguments.iter().take(kept).copied().collect();
    format!("{} {}", directive.name, arguments.join(" | "))
}

/// Chapters have a number; all but the first have the parts.
fn is_chapter(page: &Page) -> bool {
    page.name.starts_with(|c: char| ('1'..='8').contains(&c))
}

fn differ(page: &str, what: &str, english: &[String], chinese: &[String]) -> Option<String> {
    let longer = english.len().max(chinese.len());
    let at = (0..longer).find(|&at| english.get(at) != chinese.get(at))?;
    let shown = |list: &[String]| list.get(at).map_or("nothing", |text| text).to_owned();
    let (here, there) = (shown(english), shown(chinese));
    Some(format!(
        "{page}: not the same {what}: en has {here}, zh has {there}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(text: &str) -> Shape {
        Shape::of(text)
    }

    #[test]
    fn a_page_has_a_shape() {
        let page = "## A {#a}\n```sh\ncargo x  # why\n```\n{{#picture p | words}}\n\
                    {{#value n | a}} [x](repo:Cargo.toml)\n<details>\n";
        let shape = shape(page);
        assert_eq!(shape.anchors, ["a"]);
        assert_eq!(shape.commands, ["cargo x (sh)"]);
        assert_eq!(shape.directives, ["picture p", "value n | a"]);
        assert_eq!(shape.files, ["Cargo.toml"]);
        assert_eq!(shape.folded.len(), 1);
    }

    #[test]
    fn a_figure_needs_its_day_and_machine() {
        let unmade =
            shape("{{#value a | x}} {{#value b | x}} {{#value c}}\n{{#made a}}\n{{#table b | 0}}");
        assert_eq!(unmade.unmade().into_iter().collect::<Vec<_>>(), ["c"]);
    }

    #[test]
    fn the_first_difference_is_told() {
        let list = |words: &[&str]| {
            words
                .iter()
                .map(|word| (*word).to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(differ("p", "anchors", &list(&["a"]), &list(&["a"])), None);
        let told = differ("p", "anchors", &list(&["a", "b"]), &list(&["a"]));
        assert_eq!(
            told.as_deref(),
            Some("p: not the same anchors: en has b, zh has nothing")
        );
    }
}
