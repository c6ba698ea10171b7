//! An item of a Rust source file, by its name: so that the book can show it
//! without a mark in the source, and without line numbers that go stale.
//!
//! The sources are formatted by rustfmt, and that is all that is relied upon: an
//! item ends where a line as far to the left as its first one closes it.

/// The item called `name`, with its comments and attributes, moved to the left.
///
/// A name is that of a function, type, trait, constant or module (`read_head`); of
/// something in an `impl` or a trait (`Connection::read`); the beginning of a line
/// (`impl Stage for BlockingThreads`); or `//!`, the comment that opens the file.
/// Tests at the end of the file are not looked at.
pub(crate) fn find(source: &str, name: &str) -> Result<String, String> {
    let source = source.split("#[cfg(test)]\nmod tests").next().unwrap_or("");
    let lines: Vec<_> = source.lines().collect();
    if name == "//!" {
        let comment = lines.iter().take_while(|line| line.starts_with("//!"));
        let comment: Vec<_> = comment.copied().collect();
        return Ok(comment.join("\n"));
    }
    let found = match name.split_once("::") {
        Some((owner, member)) => member_of(&lines, owner, member),
        None => starts(&lines, name, 0..lines.len()),
    };
    match found[..] {
        [start] => Ok(cut(&lines, start)),
        [] => Err(format!("has no item {name}")),
        _ => Err(format!("has {} items {name}", found.len())),
    }
}

/// The first lines of those items in a range that are called `name`.
fn starts(lines: &[&str], name: &str, range: std::ops::Range<usize>) -> Vec<usize> {
    range.filter(|&at| is_called(lines[at], name)).collect()
}

/// The same, in all blocks that belong to `owner`.
fn member_of(lines: &[&str], owner: &str, member: &str) -> Vec<usize> {
    let blocks = (0..lines.len()).filter(|&at| {
        let line = lines[at];
        let words = || line.split(|c: char| !c.is_alphanumeric() && c != '_');
        let opens =
            line.starts_with("impl") || line.starts_with("trait") || line.contains(" trait ");
        opens && line.ends_with('{') && words().any(|word| word == owner)
    });
    blocks
        .flat_map(|at| starts(lines, member, at + 1..end(lines, at)))
        .collect()
}

fn is_called(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    if name.contains(' ') {
        return line.starts_with(name);
    }
    let mut words = line.split_inclusive([' ', '(', '<', ':', ';', '{', '=', '!']);
    let mut keyword = false;
    for word in &mut words {
        let bare = word.trim_end_matches([' ', '(', '<', ':', ';', '{', '=', '!']);
        match bare {
            "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "mod"
            | "macro_rules" => keyword = true,
            "pub" | "async" | "unsafe" | "extern" | "crate)" | "super)" | "" => {}
            _ => return keyword && bare == name,
        }
    }
    false
}

/// The item that starts at a line, with what stands above it.
fn cut(lines: &[&str], start: usize) -> String {
    let indent = indent(lines[start]);
    let above = lines[..start].iter().rev();
    let above = above.take_while(|line| {
        let text = line.trim_start();
        text.starts_with("///") || text.starts_with("#[")
    });
    let item = &lines[start - above.count()..=end(lines, start)];
    let item = item.iter().map(|line| line.get(indent..).unwrap_or(""));
    item.collect::<Vec<_>>().join("\n")
}

/// The last line of the item that starts at a line.
fn end(lines: &[&str], start: usize) -> usize {
    let far = indent(lines[start]);
    let closes = |line: &str| {
        let text = line.trim_start();
        indent(line) == far && (text.starts_with('}') || text.ends_with(';') || text.ends_with('}'))
    };
    let rest = lines.iter().enumerate().skip(start);
    let last = rest.filter(|(_, line)| closes(line)).map(|(at, _)| at);
    last.min().unwrap_or(lines.len() - 1)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
//! The head.
//! More of it.

/// A pair.
#[derive(Debug)]
pub struct Pair {
    a: u8,
}

const LIMIT: usize = 3;

impl Pair {
    /// Reads
    /// it.
    pub(crate) fn read(
        &self,
    ) -> u8 {
        if true {
            1
        }
    }

    fn other() {}
}

impl Read for Pair {
    fn read_all() {}
}

fn read() {}
";

    #[test]
    fn items_are_found_by_name() {
        let found = |name| find(SOURCE, name).expect(name);
        assert_eq!(found("//!"), "//! The head.\n//! More of it.");
        assert!(found("Pair").starts_with("/// A pair.\n#[derive(Debug)]\npub struct"));
        assert!(found("Pair").ends_with("    a: u8,\n}"));
        assert_eq!(found("LIMIT"), "const LIMIT: usize = 3;");
        assert!(found("Pair::read").starts_with("/// Reads\n/// it.\npub(crate) fn"));
        assert!(found("Pair::read").ends_with("    }\n}"));
        assert_eq!(found("Pair::other"), "fn other() {}");
        assert!(found("impl Read for Pair").ends_with("{}\n}"));
    }

    #[test]
    fn what_is_missing_or_not_clear_is_refused() {
        assert!(find(SOURCE, "write").is_err());
        // One in the impl, one outside.
        assert!(find(SOURCE, "read").is_err());
    }
}
