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

/// The picture as a file of its own, for the READMEs: with colours, and a ground of
/// its own to stand on.
pub(crate) fn standalone(svg: &str, language: Language) -> String {
    let other = format!("lang=\"{}\"", language.other().code());
    let lines = svg.lines().filter(|line| !line.contains(&other));
    let mut text = String::new();
    for line in lines {
        if line.starts_with("<svg") {
            text.push_str(&sized(line));
            text.push('\n');
            text.push_str(STYLE);
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// The opening tag with the size that its `viewBox` says: a picture without one is
/// shown as wide as the page.
fn sized(tag: &str) -> String {
    let (_, rest) = tag.split_once("viewBox=\"").unwrap_or_default();
    let numbers: Vec<_> = rest.split(['"', ' ']).collect();
    match numbers[..] {
        [_, _, width, height, ..] => tag.replace(
            " viewBox",
            &format!(" width=\"{width}\" height=\"{height}\" viewBox"),
        ),
        _ => tag.to_owned(),
    }
}

/// What `docs/book.css` says of pictures, in the colours of a light and a dark page.
const STYLE: &str = "\
<style>
svg { font: 13px sans-serif; fill: none; stroke: #1f2328; stroke-width: 1.5; background: #fff }
text { fill: #1f2328; stroke: none }
.name { font-weight: bold }
.small { font-size: 12px }
.quiet { opacity: 0.5 }
text.quiet { opacity: 0.75 }
.wait { stroke-dasharray: 4 4; opacity: 0.6 }
.work { fill: #1f2328 }
.kept { fill: #0969da; fill-opacity: 0.25; stroke: #0969da }
@media (prefers-color-scheme: dark) {
svg { stroke: #e6edf3; background: #0d1117 }
text, .work { fill: #e6edf3 }
.kept { fill: #4493f8; stroke: #4493f8 }
}
</style>
";

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

    #[test]
    fn a_file_has_a_size_and_a_style() {
        let svg = "<svg viewBox=\"0 0 440 90\">\n<path/>\n</svg>\n";
        let file = standalone(svg, Language::English);
        let (tag, rest) = file.split_once('\n').expect("lines");
        assert_eq!(
            tag,
            "<svg width=\"440\" height=\"90\" viewBox=\"0 0 440 90\">"
        );
        assert_eq!(rest, format!("{STYLE}<path/>\n</svg>\n"));
        assert!(standalone("<svg>", Language::English).starts_with("<svg>\n"));
    }
}
