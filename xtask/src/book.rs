//! `cargo xtask book`: the book, built in both languages and checked.
//!
//! Read in this order: [`page`] (what is in `docs/`), [`expand`] (what its
//! directives become), [`item`], [`diff`], [`record`], [`cells`] and [`picture`] (where
//! the code, the figures, their words and the pictures come from), [`measure`] (how the
//! figures are made), [`html`] (what Markdown has no words for), [`compare`] (what both
//! languages have in common), [`mdbook`], and [`links`] (what is checked of the pages
//! when they are made).

mod cells;
mod compare;
mod diff;
mod expand;
mod files;
mod html;
mod item;
mod links;
mod mdbook;
mod measure;
mod page;
mod picture;
mod record;

use std::path::Path;

use lexopt::Arg::{Long, Short, Value};

use crate::ended::{Doing, Ended, Failure};
use crate::screen::{Screen, progress};
use crate::workspace::Workspace;

use self::expand::Expansion;
use self::page::{Book, Language};

const HELP: &str = "\
Build the book in both languages, and check it. How it is written: docs/WRITING.md.

    cargo xtask book                   build target/book/en and target/book/zh, and check
                                       that they agree, that every link leads somewhere,
                                       and that all code and figures are included
    cargo xtask book record [NAME...]  run the commands of docs/figures again, and write
                                       down what they print; without NAME, all

    --unfinished  chapters that nobody has written yet are no failure
    -h --help     this text
";

/// What is wrong with the book, each with its place.
type Complaints = Vec<String>;

pub(crate) fn run(mut arguments: lexopt::Parser, screen: &mut Screen) -> Result<Ended, Failure> {
    let mut words = Vec::new();
    let mut unfinished = false;
    while let Some(argument) = arguments.next()? {
        match argument {
            Short('h') | Long("help") => return screen.text(HELP).map(|()| Ended::Well),
            Long("unfinished") => unfinished = true,
            Value(value) => words.push(value.to_string_lossy().into_owned()),
            other => return Err(other.unexpected().into()),
        }
    }
    let workspace = Workspace::find()?;
    match words.split_first() {
        None => build(&workspace, unfinished, screen),
        Some((command, names)) if command == "record" => measure::run(&workspace, names, screen),
        Some((other, _)) => Err(Failure::Usage(format!("there is no `book {other}`"))),
    }
}

fn build(workspace: &Workspace, unfinished: bool, screen: &mut Screen) -> Result<Ended, Failure> {
    let docs = workspace.root.join("docs");
    let out = workspace.target.join("book");
    let books = Language::BOTH.map(|language| Book::read(&docs, language));
    let [english, chinese] = books;
    let (english, chinese) = (english?, chinese?);

    let mut complaints = compare::form(&english);
    complaints.extend(compare::form(&chinese));
    complaints.extend(compare::languages(&english, &chinese));
    // What was built before may hold pages that are no more.
    if out.exists() {
        std::fs::remove_dir_all(&out).doing(format!("clearing {}", out.display()))?;
    }
    let mdbook = mdbook::find(workspace)?;
    complaints.extend(readme_pictures(&docs)?);
    let mut expansion = Expansion::new(&workspace.root)?;
    for book in [&english, &chinese] {
        let source = out.join("source").join(book.language.code());
        complaints.extend(expansion.write(book, &docs, &source)?);
        let pages = out.join(book.language.code());
        progress(format!("building {}", pages.display()));
        complaints.extend(mdbook.build(&source, &pages)?);
    }
    complaints.extend(expansion.unused());
    files::write(&workspace.root, expansion.files(), &out.join("files"))?;
    let missing = english.unwritten().chain(chinese.unwritten());
    let missing: Vec<_> = missing.collect();
    complaints.extend(links::check(&out, &missing)?);

    for page in &missing {
        match unfinished {
            true => screen.line(format_args!("not written yet: {page}"))?,
            false => complaints.push(format!("{page}: is in SUMMARY.md and not written yet")),
        }
    }
    for complaint in &complaints {
        screen.line(format_args!("{} {complaint}", screen.bad("book:")))?;
    }
    if !complaints.is_empty() {
        return Ok(Ended::Unsolved);
    }
    screen.line(format_args!("{}", out.join("en/index.html").display()))?;
    screen.line(format_args!("{}", out.join("zh/index.html").display()))?;
    Ok(Ended::Well)
}

/// Makes the READMEs' pictures anew. Those that were not up to date are complained
/// of: they have to be committed.
fn readme_pictures(docs: &Path) -> Result<Complaints, Failure> {
    let shared = page::read(&docs.join("pictures/five-lanes.svg"))?;
    let mut complaints = Vec::new();
    for language in Language::BOTH {
        let name = format!("five-lanes.{}.svg", language.code());
        let path = docs.join("pictures").join(&name);
        let picture = picture::standalone(&shared, language);
        if std::fs::read_to_string(&path).ok().as_ref() != Some(&picture) {
            files::write_text(&path, &picture)?;
            complaints.push(format!(
                "docs/pictures/{name} was old, and has been written"
            ));
        }
    }
    Ok(complaints)
}
