//! `cargo xtask exercises`, from outside: what is right passes, and each thing
//! that may be wrong is found.

mod copy;

use std::fs;
use std::io;

use copy::Copy;

const SUM: &str = "exercises/01_first/01_sum";
const HANG: &str = "exercises/01_first/02_hang";
const STARTS: &str = "exercises/starts/01_first";
const SOLUTIONS: &str = "exercises/solutions/01_first";

#[test]
fn right_exercises_pass_also_a_second_time() -> io::Result<()> {
    let copy = Copy::new("right")?;
    for _ in 0..2 {
        let ran = copy.xtask(&["exercises", "check"])?;
        ran.says(
            0,
            &["01_sum: ok", "02_hang: ok", "2 exercises, 0 with faults"],
        );
    }
    let ran = copy.xtask(&["exercises", "check", "hang"])?;
    ran.says(0, &["02_hang: ok", "1 exercises"]);
    ran.says_nothing_of("01_sum");
    Ok(())
}

#[test]
fn a_start_has_to_fail_as_declared() -> io::Result<()> {
    let copy = Copy::new("start")?;
    // For another reason; and a test that is declared passes.
    let manifest = format!("{SUM}/Cargo.toml");
    copy.edit(
        &manifest,
        "\"two and two\"",
        "\"as it should\"\ntwo_and_nothing = \"timeout\"",
    )?;
    // A test that is not declared; and one that is not there.
    copy.edit(&format!("{HANG}/Cargo.toml"), "it_ends", "it_begins")?;
    let ran = copy.xtask(&["exercises", "check"])?;
    ran.says(
        1,
        &["start: two_and_two fails for another reason than is declared"],
    );
    ran.says(
        1,
        &["start: two_and_nothing passes, but is declared to fail"],
    );
    ran.says(1, &["start: it_ends fails, which is not declared"]);
    ran.says(1, &["start: there is no test it_begins"]);
    ran.says(
        1,
        &["README.md: it does not say `it_begins`", "2 with faults"],
    );
    Ok(())
}

#[test]
fn a_start_has_to_compile_and_to_be_the_exercise() -> io::Result<()> {
    let copy = Copy::new("sealed")?;
    copy.edit(&format!("{STARTS}/01_sum/src/lib.rs"), "a - b", "a - c")?;
    let ran = copy.xtask(&["exercises", "check"])?;
    ran.says(1, &["start: does not compile", "cannot find value `c`"]);
    ran.says(1, &["it is not as it is at the start", "02_hang: ok"]);

    copy.xtask(&["exercises", "seal", "1"])?
        .says(0, &["starts/01_first/01_sum/src/lib.rs"]);
    copy.xtask(&["exercises", "check"])?
        .says(0, &["01_sum: ok"]);

    // What is not there cannot be sealed, and what was sealed stays.
    let file = copy.root.join("exercises/01_first/01_sum/src/lib.rs");
    std::fs::remove_file(file)?;
    let ran = copy.xtask(&["exercises", "seal", "1"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    let start = copy.read(&format!("{STARTS}/01_sum/src/lib.rs"))?;
    assert!(start.contains("a - b"), "{start}");
    Ok(())
}

#[test]
fn a_solution_has_to_pass_and_to_be_tidy() -> io::Result<()> {
    let copy = Copy::new("solved")?;
    copy.edit(
        &format!("{SOLUTIONS}/01_sum/src/lib.rs"),
        "a + b",
        "return 4;",
    )?;
    copy.write(
        &format!("{SOLUTIONS}/02_hang/src/lib.rs"),
        "pub fn wait() { loop {} }\n",
    )?;
    let ran = copy.xtask(&["exercises", "check"])?;
    ran.says(
        1,
        &[
            "solution: two_and_nothing fails",
            "solution: it_ends times out",
        ],
    );
    ran.says(1, &["clippy or rustfmt object"]);
    assert!(ran.stderr.contains("unneeded `return`"), "{ran:#?}");
    assert!(ran.stderr.contains("Diff in"), "{ran:#?}");
    Ok(())
}

#[test]
fn the_form_has_to_be_complete() -> io::Result<()> {
    let copy = Copy::new("form")?;
    copy.edit(&format!("{SUM}/hints.md"), "## Hint 3", "### Hint 3")?;
    copy.edit(&format!("{SUM}/README.md"), "## Predict", "## Guess")?;
    copy.edit(&format!("{HANG}/README.zh.md"), "超时", "停不下来")?;
    copy.edit(
        &format!("{SUM}/README.zh.md"),
        "](README.md)",
        "](../README.md)",
    )?;
    copy.edit(
        &format!("{SUM}/Cargo.toml"),
        "[\"Cargo.toml\"]",
        "[\"src/gone.rs\"]",
    )?;
    copy.write(&format!("{SOLUTIONS}/02_hang/src/more.rs"), "")?;
    let ran = copy.xtask(&["exercises", "check"])?;
    ran.says(
        1,
        &[
            "three hints are to be there, not 2",
            "README.md: its sections are to be",
            "README.zh.md: it does not say `[English](README.md)`",
        ],
    );
    ran.says(
        1,
        &["there is no src/gone.rs", "do not have the same files"],
    );
    ran.says(1, &["README.zh.md: it does not say `超时`"]);

    fs::remove_file(copy.root.join(HANG).join("README.zh.md"))?;
    copy.edit(&format!("{HANG}/README.md"), "# 2 ", "# 2 Not ")?;
    let ran = copy.xtask(&["exercises", "check"])?;
    ran.says(1, &["README.zh.md: it is not there"]);
    ran.says(1, &["README.md: it is to begin with `# 2 "]);

    copy.edit(
        &format!("{SUM}/Cargo.toml"),
        "road = \"side\"",
        "road = \"long\"",
    )?;
    let ran = copy.xtask(&["exercises", "check"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains("01_sum/Cargo.toml: `road`"), "{ran:#?}");
    Ok(())
}
