//! Telling code from comments and texts: a word in those does nothing.

/// The numbers of the lines in which `word` stands as code.
pub(crate) fn lines_with_word(source: &str, word: &str) -> Vec<usize> {
    let is_in_word = |char: char| char.is_alphanumeric() || char == '_';
    let code = without_comments_and_texts(source);
    let lines = code.lines().enumerate();
    lines
        .filter(|(_, line)| {
            line.split(|char| !is_in_word(char))
                .any(|found| found == word)
        })
        .map(|(index, _)| index + 1)
        .collect()
}

/// `source` with comments, strings and characters gone, and all line ends kept.
pub(crate) fn without_comments_and_texts(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => 1 + quoted(&rest[1..], '"'),
            // In front of it no identifier may stand: `for"` is no raw string.
            'r' if !ends_in_word(&code) && raw_string(rest).is_some() => {
                raw_string(rest).unwrap_or(1)
            }
            '\'' => character(rest),
            _ => 0,
        };
        let (gone, kept) = match length {
            0 => ("", first.len_utf8()),
            length => (&rest[..length], 0),
        };
        code.extend(gone.chars().filter(|char| *char == '\n'));
        code.push_str(&rest[..kept]);
        // What was on both sides of a comment are two words.
        if !gone.is_empty() {
            code.push(' ');
        }
        rest = &rest[gone.len() + kept..];
    }
    code
}

/// Block comments nest.
fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        let rest = &text.as_bytes()[at..];
        match rest {
            [b'/', b'*', ..] => depth += 1,
            [b'*', b'/', ..] => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length up to and with the closing `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            char if char == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of `r"…"` or `r#"…"#`, if it is one.
fn raw_string(text: &str) -> Option<usize> {
    let hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let inside = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = inside.find(&end).map_or(inside.len(), |at| at + end.len());
    Some(2 + hashes + length)
}

/// The length of a character such as `'a'`, or 0 for a lifetime such as `'a`.
fn character(text: &str) -> usize {
    let mut chars = text[1..].chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => 1 + quoted(&text[1..], '\''),
        (Some(char), Some('\'')) => 2 + char.len_utf8(),
        _ => 0,
    }
}

/// `b"` and `br"` are strings as well, so a lone `b` or `c` counts for nothing.
fn ends_in_word(code: &str) -> bool {
    let word = code
        .rsplit(|char: char| !char.is_alphanumeric() && char != '_')
        .next();
    !matches!(word, None | Some("" | "b" | "c"))
}

#[test]
fn only_code_is_code() {
    let source = r##"
        // unsafe
        /* unsafe /* unsafe */ unsafe */ let a = "unsafe \" unsafe"; let b = '"'; let c: &'static str;
        let d = r#"unsafe " unsafe"#; let e = br"unsafe\"; let f = '\''; #![forbid(unsafe_code)]
        unsafe { f() } let g = b'"'; for unsafe"unsafe"
    "##;
    assert_eq!(lines_with_word(source, "unsafe"), [5]);
    let code = without_comments_and_texts(source);
    assert_eq!(code.lines().count(), source.lines().count());
    assert_eq!(code.matches("unsafe").count(), 3, "{code}");
}
