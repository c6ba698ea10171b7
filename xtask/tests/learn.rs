//! `cargo xtask learn`, from outside.

mod copy;

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::process::Stdio;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use copy::Copy;

const SUM: &str = "exercises/01_first/01_sum/src/lib.rs";

#[test]
fn list_shows_all_exercises_and_the_short_road() -> io::Result<()> {
    let copy = Copy::new("list")?;
    let ran = copy.xtask(&["learn", "list"])?;
    ran.says(0, &["01_first", "1   sum", "Adding", "2 * hang", "Ending"]);
    ran.says(0, &["0 of 2 solved; on the short road (*) 0 of 1"]);

    copy.edit(SUM, "a - b", "b - a")?;
    copy.xtask(&["learn", "list"])?.says(0, &["sum   begun"]);
    Ok(())
}

#[test]
fn an_unsolved_exercise_says_why_and_what_to_do() -> io::Result<()> {
    let copy = Copy::new("unsolved")?;
    let ran = copy.xtask(&["learn", "check", "1"])?;
    let readme = "Read exercises/01_first/01_sum/README.md first";
    ran.says(
        1,
        &[
            readme,
            "ok    two_and_nothing",
            "two and nothing: 2",
            "FAIL  two_and_two",
        ],
    );
    ran.says(
        1,
        &["two and two are not 0", "1 of 2 tests fail", "Edit:", SUM],
    );
    ran.says_nothing_of("\x1b");
    assert_eq!(
        copy.read(SUM)?,
        copy.read("exercises/starts/01_first/01_sum/src/lib.rs")?
    );
    Ok(())
}

#[test]
fn a_test_that_hangs_is_killed_and_explained() -> io::Result<()> {
    let copy = Copy::new("hangs")?;
    let ran = copy.xtask(&["learn", "check", "2"])?;
    ran.says(
        1,
        &[
            "FAIL  it_ends",
            "timed out after 1 s: nobody has unparked it",
        ],
    );
    ran.says(1, &["as planned", "Look at src/lib.rs, where it parks"]);
    ran.says_nothing_of("RUST_BACKTRACE");
    let mut lines = ran.stdout.lines();
    assert!(lines.all(|line| line.trim_end() == line), "{ran:#?}");

    #[cfg(target_os = "linux")]
    {
        let said = ran
            .stdout
            .lines()
            .find_map(|line| line.trim().strip_prefix("process "));
        let process = said.ok_or_else(|| io::Error::other("it names no process"))?;
        let there = std::path::Path::new("/proc").join(process).exists();
        assert!(!there, "process {process} is still there");
    }
    Ok(())
}

#[test]
fn what_does_not_compile_is_shown() -> io::Result<()> {
    let copy = Copy::new("compile")?;
    copy.edit(SUM, "a - b", "a + c")?;
    let ran = copy.xtask(&["learn", "check", "sum"])?;
    ran.says(1, &["cannot find value `c`", "It does not compile."]);
    assert_eq!(
        ran.stdout.matches("cannot find value").count(),
        1,
        "{ran:#?}"
    );
    Ok(())
}

#[test]
fn what_is_solved_is_remembered_until_it_is_edited() -> io::Result<()> {
    let copy = Copy::new("remembered")?;
    solve(&copy, "01_first/01_sum")?;
    copy.xtask(&["learn", "check", "1"])?
        .says(0, &["Solved.", "A1.1", "learn solution 1"]);
    // An editor has it open.
    copy.write("exercises/01_first/01_sum/src/.lib.rs.swp", "")?;
    copy.xtask(&["learn", "list"])?
        .says(0, &["sum   solved", "1 of 2 solved"]);

    // The next one, first that of the short road; to have been shown it is no failure.
    // Its tests are not run before something is changed: they would answer the README.
    let ran = copy.xtask(&["learn"])?;
    let readme = "Read:   exercises/01_first/02_hang/README.md, and predict";
    ran.says(0, &["2 hang: Ending", readme, "learn check 2"]);
    ran.says_nothing_of("1 sum");
    ran.says_nothing_of("FAIL");

    copy.edit(SUM, "a + b", "b + a + 1")?;
    copy.xtask(&["learn", "list"])?
        .says(0, &["sum   changed", "0 of 2 solved"]);
    copy.xtask(&["learn", "check", "--all"])?
        .says(1, &["01_sum: not solved", "0 of 2"]);

    solve(&copy, "01_first/01_sum")?;
    solve(&copy, "01_first/02_hang")?;
    copy.xtask(&["learn"])?
        .says(0, &["2 hang", "1 sum", "All exercises are solved."]);
    copy.xtask(&["learn", "check", "--all"])?
        .says(0, &["02_hang: solved", "2 of 2 solved"]);
    Ok(())
}

#[test]
fn state_that_cannot_be_read_counts_as_none() -> io::Result<()> {
    let copy = Copy::new("state")?;
    fs::create_dir(copy.root.join(".learn"))?;
    copy.write(".learn/state.json", "{ broken")?;
    let ran = copy.xtask(&["learn", "list"])?;
    ran.says(0, &["0 of 2 solved"]);
    assert!(ran.stderr.contains("nothing is remembered"), "{ran:#?}");
    copy.xtask(&["learn", "hint", "1"])?
        .says(0, &["The first hint of sum."]);
    copy.xtask(&["learn", "hint", "1"])?
        .says(0, &["The second hint of sum."]);
    Ok(())
}

#[test]
fn hints_come_one_by_one() -> io::Result<()> {
    let copy = Copy::new("hints")?;
    // Without a name: the next one, which is that of the short road.
    copy.xtask(&["learn", "hint"])?
        .says(0, &["hint 1 of 3", "The first hint of hang."]);
    copy.xtask(&["learn", "hint", "1"])?
        .says(0, &["The first hint of sum."]);
    copy.xtask(&["learn", "hint", "2"])?
        .says(0, &["hint 2 of 3", "The second hint of hang."]);
    for _ in 0..2 {
        let ran = copy.xtask(&["learn", "hint", "2"])?;
        ran.says(
            0,
            &["hint 3 of 3", "The third hint of hang.", "learn solution 2"],
        );
        ran.says_nothing_of("The second hint");
    }
    Ok(())
}

#[test]
fn reset_keeps_what_was_written() -> io::Result<()> {
    let copy = Copy::new("reset")?;
    let start = copy.read(SUM)?;
    copy.xtask(&["learn", "reset", "1"])?
        .says(0, &["nothing to do"]);
    for (number, text) in [(1, "// first attempt"), (2, "// second attempt")] {
        copy.write(SUM, text)?;
        let kept = format!(".learn/kept/01_sum/{number}");
        copy.xtask(&["learn", "reset", "sum"])?.says(0, &[&kept]);
        assert_eq!(copy.read(SUM)?, start);
        assert_eq!(copy.read(&format!("{kept}/src/lib.rs"))?, text);
    }

    fs::remove_file(copy.root.join(SUM))?;
    copy.xtask(&["learn", "reset", "sum"])?.says(0, &[]);
    assert_eq!(copy.read(SUM)?, start);

    let ran = copy.xtask(&["learn", "reset"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    Ok(())
}

#[test]
fn a_solution_is_shown_only_to_whom_says_yes() -> io::Result<()> {
    let copy = Copy::new("solution")?;
    let ran = copy.xtask(&["learn", "solution", "1"])?;
    assert_eq!(ran.code, Some(2), "{ran:#?}");
    assert!(ran.stderr.contains("--yes"), "{ran:#?}");
    ran.says_nothing_of("a + b");
    let ran = copy.xtask(&["learn", "solution", "1", "--yes"])?;
    ran.says(
        0,
        &["exercises/solutions/01_first/01_sum/src/lib.rs", "a + b"],
    );
    assert!(
        copy.read(SUM)?.contains("a - b"),
        "it was written into the exercise"
    );
    Ok(())
}

#[test]
fn an_exercise_goes_by_several_names() -> io::Result<()> {
    let copy = Copy::new("names")?;
    let path = "exercises/01_first/02_hang/";
    for name in [
        "2",
        "02",
        "hang",
        "02_hang",
        "01_first/02_hang",
        path,
        "ex02-hang",
    ] {
        let ran = copy.xtask(&["learn", "solution", "--yes", name])?;
        ran.says(0, &["02_hang/src/lib.rs"]);
    }
    for name in ["3", "", "han", "01_first", "2x"] {
        let ran = copy.xtask(&["learn", "check", name])?;
        assert_eq!(ran.code, Some(2), "{name}: {ran:#?}");
        assert!(ran.stderr.contains("no exercise is called"), "{ran:#?}");
    }
    Ok(())
}

#[test]
fn help_and_mistakes_of_the_command_line() -> io::Result<()> {
    let copy = Copy::new("usage")?;
    copy.xtask(&["--help"])?.says(0, &["cargo xtask learn"]);
    copy.xtask(&["learn", "--help"])?
        .says(0, &["learn watch [NAME]"]);
    copy.xtask(&["exercises", "-h"])?
        .says(0, &["exercises check"]);
    let mistakes: [&[&str]; 8] = [
        &["learn", "list", "1"],
        &["learn", "check", "1", "--all"],
        &[],
        &["teach"],
        &["learn", "teach"],
        &["learn", "--never"],
        &["exercises"],
        &["exercises", "seal"],
    ];
    for arguments in mistakes {
        let ran = copy.xtask(arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments:?}: {ran:#?}");
        assert!(ran.stderr.contains("--help"), "{arguments:?}: {ran:#?}");
    }
    Ok(())
}

#[test]
fn nobody_has_to_read_to_the_end() -> io::Result<()> {
    let copy = Copy::new("pipe")?;
    for arguments in [["learn", "list"], ["learn", "check"], ["learn", "hint"]] {
        let mut command = copy.command(&arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        drop(child.stdout.take());
        let mut said = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut said)?;
        }
        assert!(child.wait()?.success(), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    }
    Ok(())
}

#[test]
fn watch_checks_when_something_is_saved() -> io::Result<()> {
    let copy = Copy::new("watch")?;
    let mut command = copy.command(&["learn", "watch", "1"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let stdout = lines(child.stdout.take());
    let stderr = lines(child.stderr.take());
    let watched = (|| {
        // Nothing is changed yet, so there is something to predict.
        until(&stdout, "Read:   exercises/01_first/01_sum/README.md")?;
        until(&stderr, "watching exercises/01_first/01_sum")?;
        copy.edit(SUM, "a - b", "a - b + 0")?;
        until(&stdout, "1 of 2 tests fail")?;
        until(&stderr, "watching exercises/01_first/01_sum")?;
        copy.edit(SUM, "a - b + 0", "a + a")?;
        until(&stdout, "FAIL  two_and_nothing")?;
        until(&stderr, "watching exercises/01_first/01_sum")?;
        solve(&copy, "01_first/01_sum")?;
        until(&stdout, "Solved.")?;
        until(&stdout, "2 hang: Ending")?;
        until(&stderr, "watching exercises/01_first/02_hang")
    })();
    child.kill()?;
    child.wait()?;
    assert!(!stdout.iter().any(|line| line.contains("FAIL")));
    watched
}

/// Copies an exercise's solution over it.
fn solve(copy: &Copy, exercise: &str) -> io::Result<()> {
    let file = format!("{exercise}/src/lib.rs");
    let solution = copy.read(&format!("exercises/solutions/{file}"))?;
    copy.write(&format!("exercises/{file}"), &solution)
}

/// The lines of an output, as they come.
fn lines(output: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    if let Some(output) = output {
        thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines
                .map(|line| sender.send(line))
                .take_while(Result::is_ok)
                .count()
        });
    }
    receiver
}

/// Waits for a line that contains `text`.
fn until(lines: &Receiver<String>, text: &str) -> io::Result<()> {
    let (start, mut seen) = (Instant::now(), Vec::new());
    while let Some(left) = Duration::from_secs(60).checked_sub(start.elapsed()) {
        match lines.recv_timeout(left) {
            Ok(line) if line.contains(text) => return Ok(()),
            Ok(line) => seen.push(line),
            Err(_) => break,
        }
    }
    Err(io::Error::other(format!(
        "no line says {text:?}: {seen:#?}"
    )))
}
