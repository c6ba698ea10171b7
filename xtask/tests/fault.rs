//! `cargo xtask fault`, from outside.

mod copy;

use std::io;

use copy::Copy;

const COUNTER: &str = "crates/counter/src/lib.rs";

#[test]
fn a_fault_goes_in_and_out_again_and_leaves_the_rest() -> io::Result<()> {
    let copy = Copy::new("apply")?;
    copy.write("exercises/faults/.DS_Store", "no fault")?;
    copy.xtask(&["fault", "list"])?
        .says(0, &[" 1  counter: Count what", " 2  counter: Split"]);
    copy.edit(COUNTER, "pub fn", "// A reader's note.\npub fn")?;
    let original = copy.read(COUNTER)?;

    let ran = copy.xtask(&["fault", "apply", "1"])?;
    ran.says(
        0,
        &[
            "Does that count?",
            "Caught by: cargo test -p counter",
            "fault revert",
        ],
    );
    assert_eq!(
        copy.read(COUNTER)?,
        original.replace(".filter(|word| !word.is_empty())", "")
    );
    copy.xtask(&["fault", "list"])?
        .says(0, &["spaces (it is in there now)"]);

    let ran = copy.xtask(&["fault", "apply", "2"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains("fault 1 is in there"), "{ran:#?}");

    copy.xtask(&["fault", "revert"])?
        .says(0, &["fault 1 is out"]);
    assert_eq!(copy.read(COUNTER)?, original);
    copy.xtask(&["fault", "revert"])?
        .says(0, &["no fault is in there"]);
    Ok(())
}

#[test]
fn a_place_that_has_changed_is_left_alone() -> io::Result<()> {
    let copy = Copy::new("changed")?;
    copy.edit(COUNTER, "words.split(' ')", "words.split_whitespace()")?;
    let edited = copy.read(COUNTER)?;
    let ran = copy.xtask(&["fault", "apply", "2"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains("the place is not found"), "{ran:#?}");
    copy.xtask(&["fault", "list"])?
        .says(0, &["its place has changed"]);
    copy.xtask(&["fault", "check"])?
        .says(1, &["2: FAULTS its place in"]);
    assert_eq!(copy.read(COUNTER)?, edited);
    Ok(())
}

#[test]
fn each_fault_has_to_be_noticed() -> io::Result<()> {
    let copy = Copy::new("noticed")?;
    let original = copy.read(COUNTER)?;
    let ran = copy.xtask(&["fault", "check"])?;
    ran.says(
        0,
        &["1: two_spaces fails", "2: one_space fails", "2 faults, 0"],
    );
    ran.says_nothing_of("FAULTS");
    assert_eq!(copy.read(COUNTER)?, original);

    let first = "exercises/faults/1_count_all.patch";
    copy.edit(first, "two_spaces", "one_space")?;
    let ran = copy.xtask(&["fault", "check"])?;
    ran.says(
        1,
        &[
            "1: FAULTS with it, one_space passes",
            "2 faults, 1 of them unnoticed",
        ],
    );

    copy.edit(first, "one_space", "three_spaces")?;
    copy.xtask(&["fault", "check"])?
        .says(1, &["1: FAULTS without it, there is no test"]);

    copy.edit(first, "+    words.count()", "+    nothing.count()")?;
    copy.edit(first, "three_spaces", "two_spaces")?;
    copy.xtask(&["fault", "check"])?
        .says(1, &["1: FAULTS with it, it does not compile"]);
    Ok(())
}
