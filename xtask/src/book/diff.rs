//! What has changed between two texts, line by line.

/// Both texts as one, in the notation of `diff -u` without line numbers: `-` before
/// a line that only the first has, `+` before one that only the second has.
pub(crate) fn unified(old: &str, new: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let common = common(&old, &new);
    let (mut at, mut to) = (0, 0);
    let mut text = String::new();
    let mut push = |mark: char, line: &str| {
        text.push(mark);
        text.push_str(line);
        text.push('\n');
    };
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() && old[at] == new[to] {
            push(' ', old[at]);
            at += 1;
            to += 1;
        } else if at < old.len() && (to == new.len() || common[at + 1][to] >= common[at][to + 1]) {
            push('-', old[at]);
            at += 1;
        } else {
            push('+', new[to]);
            to += 1;
        }
    }
    text
}

/// How many lines two texts have in common, in order, from each pair of lines on.
fn common(old: &[&str], new: &[&str]) -> Vec<Vec<usize>> {
    let mut common = vec![vec![0; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            common[at][to] = match old[at] == new[to] {
                true => common[at + 1][to + 1] + 1,
                false => common[at + 1][to].max(common[at][to + 1]),
            };
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn only_what_changed_is_marked() {
        assert_eq!(unified("a\nb\nc", "a\nx\nc\nd"), " a\n-b\n+x\n c\n+d\n");
        assert_eq!(unified("", "a"), "+a\n");
        assert_eq!(unified("a", ""), "-a\n");
    }
}
