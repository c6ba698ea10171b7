//! What a page needs as HTML, because Markdown has no words for it.

use super::files::escaped;
use super::page::{Language, Page};

/// The way to the same page in the other language.
pub(crate) fn switch(language: Language, page: &Page) -> String {
    let other = language.other();
    let (code, name) = (other.code(), other.name());
    let page = page.name.replace(".md", ".html");
    format!(
        "<nav class=\"languages\"><span>{}</span> \
         <a href=\"../{code}/{page}\" hreflang=\"{code}\" lang=\"{code}\">{name}</a></nav>\n\n",
        language.name()
    )
}

/// A line, in which the question above a folded answer may have `code` in it: no
/// Markdown is read in a line that begins with a tag.
pub(crate) fn summary(line: &str) -> String {
    let parts: Vec<_> = line.split('`').collect();
    if !line.starts_with("<summary>") || parts.len() % 2 == 0 {
        return line.to_owned();
    }
    let parts = parts
        .iter()
        .enumerate()
        .map(|(number, part)| match number % 2 {
            0 => (*part).to_owned(),
            _ => format!("<code>{}</code>", escaped(part)),
        });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_name_code() {
        assert_eq!(
            summary("<summary>Is `Pin<T>` a `Box`?</summary>"),
            "<summary>Is <code>Pin&lt;T&gt;</code> a <code>Box</code>?</summary>"
        );
        for line in ["Is `x` one?", "<summary>A ` alone</summary>"] {
            assert_eq!(summary(line), line);
        }
    }
}
