//! A change of one place in one file, as `diff -u` writes it, found again by its
//! lines and not by their numbers.

use std::fs;
use std::path::Path;

use crate::ended::{Doing, Failure};

/// A patch with one hunk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Patch {
    /// The file, from the workspace's root.
    pub(crate) file: String,
    old: String,
    new: String,
}

/// Which side of a patch a file shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shows {
    Old,
    New,
}

impl Patch {
    /// Reads a patch; what comes before it is for the human reader. `None`, if
    /// there is none, or more than one hunk.
    pub(crate) fn parse(text: &str) -> Option<Patch> {
        let (_, text) = text.split_once("\n--- a/")?;
        let (file, text) = text.split_once("\n+++ b/")?;
        let (_, hunk) = text.split_once("\n@@ ")?;
        let (mut old, mut new) = (String::new(), String::new());
        for line in hunk.lines().skip(1) {
            let (side, line) = (line.get(..1).unwrap_or(" "), line.get(1..).unwrap_or(""));
            if !["-", "+", " "].contains(&side) {
                return None;
            }
            if side != "+" {
                old = old + line + "\n";
            }
            if side != "-" {
                new = new + line + "\n";
            }
        }
        (old != new && !old.is_empty()).then(|| Patch {
            file: file.trim_end().to_owned(),
            old,
            new,
        })
    }

    /// Which side the file shows, in the workspace at `root`. `None`, if
    /// neither is there, or not exactly once.
    pub(crate) fn shows(&self, root: &Path) -> Result<Option<Shows>, Failure> {
        let text = self.read(root)?;
        let count = |block: &str| text.matches(block).count();
        Ok(match (count(&self.old), count(&self.new)) {
            (1, 0) => Some(Shows::Old),
            (0, 1) => Some(Shows::New),
            _ => None,
        })
    }

    /// Turns the file to the other side. Nothing else in it changes.
    pub(crate) fn turn(&self, root: &Path, from: Shows) -> Result<(), Failure> {
        let (from, to) = match from {
            Shows::Old => (&self.old, &self.new),
            Shows::New => (&self.new, &self.old),
        };
        let text = self.read(root)?.replacen(from.as_str(), to, 1);
        fs::write(root.join(&self.file), text).doing(format_args!("writing {}", self.file))
    }

    fn read(&self, root: &Path) -> Result<String, Failure> {
        fs::read_to_string(root.join(&self.file)).doing(format_args!("reading {}", self.file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_a_file_and_two_sides() {
        let text = "Why.\n\n--- a/x/y.rs\n+++ b/x/y.rs\n@@ -1,3 +1,3 @@ fn f\n one\n-two\n+2\n\n";
        let patch = Patch {
            file: "x/y.rs".to_owned(),
            old: "one\ntwo\n\n".to_owned(),
            new: "one\n2\n\n".to_owned(),
        };
        assert_eq!(Patch::parse(text), Some(patch));
    }

    #[test]
    fn what_is_no_patch_or_several_is_none() {
        let head = "\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n";
        for hunk in ["", " same\n", "-a\n+b\n@@ -9 +9 @@\n-c\n+d\n"] {
            assert_eq!(Patch::parse(&format!("{head}{hunk}")), None, "{hunk}");
        }
        assert_eq!(Patch::parse("no patch"), None);
    }
}
