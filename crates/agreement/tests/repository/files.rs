//! The files of the repository.

use std::path::{Path, PathBuf};

/// A text file.
pub(crate) struct File {
    /// From the root of the workspace.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

/// All text files. Found by looking and not by asking git, which may not be
/// there.
pub(crate) fn all_files() -> impl Iterator<Item = File> {
    let mut paths = Vec::new();
    collect(&root(), &mut paths);
    assert!(
        paths.len() > 50,
        "only {} files in {}",
        paths.len(),
        root().display()
    );
    paths.into_iter().filter_map(|path| {
        let text = String::from_utf8(std::fs::read(&path).ok()?).ok()?;
        let path = path.strip_prefix(root()).ok()?.to_owned();
        Some(File { path, text })
    })
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors()
        .nth(2)
        .expect("this crate is two levels down")
        .to_owned()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable directory").path();
        // What is built, and git's own; in a worktree `.git` is a file.
        if path
            .file_name()
            .is_some_and(|name| name == "target" || name == ".git")
        {
            continue;
        }
        if path.is_dir() {
            // Other directories that cargo builds in, whatever their names are.
            if !path.join("CACHEDIR.TAG").exists() {
                collect(&path, paths);
            }
        } else {
            paths.push(path);
        }
    }
}
