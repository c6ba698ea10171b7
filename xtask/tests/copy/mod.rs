//! A copy of the fixture, in which xtask is run as a reader runs it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A copy of the fixture, removed when this is dropped.
pub(crate) struct Copy {
    pub(crate) root: PathBuf,
}

/// What a command has written, and its exit code.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Copy {
    /// `name`: that of the test.
    pub(crate) fn new(name: &str) -> io::Result<Copy> {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        copy(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture"),
            &root,
        )?;
        Ok(Copy { root })
    }

    /// Runs `cargo xtask` with these arguments, at the copy's root.
    pub(crate) fn xtask(&self, arguments: &[&str]) -> io::Result<Ran> {
        self.command(arguments).output().map(Ran::from)
    }

    /// The same, not started yet.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command
            .args(arguments)
            .current_dir(&self.root)
            // The copies have packages of the same names.
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CARGO_BUILD_TARGET_DIR")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn read(&self, path: &str) -> io::Result<String> {
        fs::read_to_string(self.root.join(path))
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        fs::write(self.root.join(path), text)
    }

    /// Replaces a text that has to be there.
    pub(crate) fn edit(&self, path: &str, old: &str, new: &str) -> io::Result<()> {
        let text = self.read(path)?;
        assert!(text.contains(old), "{path} does not say {old}");
        self.write(path, &text.replace(old, new))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What a failed test leaves is of use, and the next run removes it.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.root);
        }
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }
}

impl Ran {
    /// Asserts the exit code, and that all of `texts` stand in the output.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, Some(code), "{self:#?}");
        for text in texts {
            assert!(
                self.stdout.contains(text),
                "it does not say {text:?}: {self:#?}"
            );
        }
    }

    /// Asserts that `text` does not stand in the output.
    #[track_caller]
    pub(crate) fn says_nothing_of(&self, text: &str) {
        assert!(!self.stdout.contains(text), "it says {text:?}: {self:#?}");
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &to)?,
            false => fs::copy(entry.path(), to).map(|_| ())?,
        }
    }
    Ok(())
}
