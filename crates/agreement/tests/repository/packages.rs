//! The packages of the workspace, as cargo sees them.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::files::root;

pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) manifest: PathBuf,
    pub(crate) license: Option<String>,
    pub(crate) rust_version: Option<String>,
    /// Names, and whether it is only for tests.
    pub(crate) dependencies: Vec<(String, bool)>,
}

impl Package {
    /// The crates of this workspace that it is built from.
    pub(crate) fn workspace_dependencies(&self) -> impl Iterator<Item = &str> {
        let built = self.dependencies.iter().filter(|(_, for_tests)| !for_tests);
        let directories = root().join("crates");
        built
            .map(|(name, _)| name.as_str())
            .filter(move |name| directories.join(name).is_dir())
    }
}

pub(crate) fn packages() -> Vec<Package> {
    let text = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&text).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    packages.iter().map(package).collect()
}

fn package(package: &Value) -> Package {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let dependencies = package["dependencies"].as_array().expect("dependencies");
    Package {
        name: text(&package["name"]).expect("a name"),
        manifest: text(&package["manifest_path"]).expect("a manifest").into(),
        license: text(&package["license"]),
        rust_version: text(&package["rust_version"]),
        dependencies: dependencies
            .iter()
            .map(|one| (text(&one["name"]).expect("a name"), one["kind"] == "dev"))
            .collect(),
    }
}

/// The names of all that has to be built for `package`, itself included.
pub(crate) fn dependency_tree(package: &str) -> Vec<String> {
    let tree = cargo(&[
        "tree",
        "-p",
        package,
        "-e",
        "normal,build",
        "--prefix",
        "none",
    ]);
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// Without the network, and without changing the lock file.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--locked"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {arguments:?}: {complaint}");
    String::from_utf8(output.stdout).expect("cargo writes UTF-8")
}
