//! Runs `examples/tiny.rs` from outside, as a person or a program would.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use origin::{Config, Origin, Script};

/// How a run ended.
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, ready to be run.
pub(crate) fn command(args: &[&str]) -> Command {
    // Tests are in target/PROFILE/deps, examples in target/PROFILE/examples.
    let mut path: PathBuf = env::current_exe().expect("own path");
    path.pop();
    path.pop();
    path.push(format!("examples/tiny{}", env::consts::EXE_SUFFIX));
    assert!(
        path.exists(),
        "{path:?} is missing: `cargo test -p stage-cli` builds it"
    );
    let mut command = Command::new(path);
    command.args(args).stdin(Stdio::null());
    command
}

pub(crate) fn tiny(args: &[&str]) -> Run {
    let Output {
        status,
        stdout,
        stderr,
    } = command(args).output().expect("tiny runs");
    Run {
        code: status.code(),
        stdout: String::from_utf8(stdout).expect("UTF-8"),
        stderr: String::from_utf8(stderr).expect("UTF-8"),
    }
}

/// An origin server that answers `/case/it` with these bytes.
pub(crate) fn answering(response: &[u8]) -> (Origin, String) {
    let origin = Origin::start(Config::default()).expect("an origin");
    let script = Script::new()
        .expect_request()
        .send(response.to_vec())
        .close();
    origin.script("it", script).expect("a script");
    let url = origin.url("/case/it");
    (origin, url)
}

/// A directory of its own, gone at the end.
pub(crate) struct Directory(pub(crate) PathBuf);

impl Directory {
    pub(crate) fn new(test: &str) -> Directory {
        let path = env::temp_dir().join(format!("stage-cli-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Directory(path)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0
            .join(name)
            .into_os_string()
            .into_string()
            .expect("UTF-8")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
