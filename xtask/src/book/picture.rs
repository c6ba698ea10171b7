//! The pictures: SVG files that both languages share.
//!
//! A line with `lang="en"` or `lang="zh"` is for that language only. The picture
//! goes into the page itself, so that its colours are those of the theme.

use super::page::Language;

/// The picture as an HTML block. `alt` says in words what it shows.
pub(crate) fn inline(svg: &str, language: Language, alt: &str) -> String {
    let other = format!("lang=\"{}\"", language.other().code());
    // An empty line would end the block.
    let lines = svg.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.contains(&other));
    let svg: Vec<_> = lines.collect();
    let alt = super::files::escaped(alt);
    format!(
        "<figure class=\"picture\" role=\"img\" aria-label=\"{alt}\">\n{}\n</figure>\n",
        svg.join("\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_language_has_its_own_words() {
        let svg = "<svg>\n\n <text lang=\"en\">a</text>\n <text lang=\"zh\">b</text>\n</svg>";
        let english = inline(svg, Language::English, "A & b");
        assert!(
            english
                .contains("aria-label=\"A &amp; b\">\n<svg>\n<text lang=\"en\">a</text>\n</svg>")
        );
        assert!(inline(svg, Language::Chinese, "").contains(">b<"));
    }
}
