//! Every experiment, small: it runs to its end, and what it counts is right.
//! Never a time: other tests share the machine.

use std::process::Command;

use serde_json::Value;

/// Runs `lab` and gives its one line of JSON.
fn lab(words: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(words.split(' '))
        .arg("--json")
        .output()
        .expect("the lab starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "lab {words}: {stderr}");
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(
        result["sentence"]
            .as_str()
            .is_some_and(|sentence| !sentence.is_empty())
    );
    let tables = result["tables"].as_array().expect("tables");
    assert!(!tables.is_empty());
    for table in tables {
        let columns = table["columns"].as_array().expect("columns").len();
        let rows = table["rows"].as_array().expect("rows");
        assert!(!rows.is_empty(), "{table}");
        assert!(
            rows.iter()
                .all(|row| row.as_array().is_some_and(|row| row.len() == columns))
        );
    }
    result
}

fn number(result: &Value, fact: &str) -> f64 {
    let value = &result["facts"][fact];
    value
        .as_f64()
        .unwrap_or_else(|| panic!("{fact} is {value}"))
}

fn is(result: &Value, fact: &str) -> bool {
    let value = &result["facts"][fact];
    value
        .as_bool()
        .unwrap_or_else(|| panic!("{fact} is {value}"))
}

const FUTURES: [&str; 5] = [
    "stage3",
    "stage4-enum",
    "stage4-async",
    "stage5-hand",
    "stage5-reqwest",
];

#[test]
fn scoreboard() {
    let result = lab("scoreboard --n 200 --runs 1");
    for stage in ["stage1", "stage2"].iter().chain(&FUTURES) {
        assert_eq!(number(&result, &format!("{stage}_in_flight")), 200.0);
        assert!(number(&result, &format!("{stage}_heap_each")) > 0.0);
        assert!(number(&result, &format!("{stage}_wake_ups")) >= 1.0);
    }
}

#[test]
fn waiting_memory() {
    let result = lab("waiting-memory --n 200");
    for stage in FUTURES {
        assert_eq!(number(&result, &format!("{stage}_in_flight")), 200.0);
        let heap = number(&result, &format!("{stage}_heap_each"));
        assert!(
            (50.0..100_000.0).contains(&heap),
            "{stage} keeps {heap} bytes"
        );
    }
    if cfg!(target_os = "linux") {
        for stage in ["stage1", "stage2"] {
            assert_eq!(number(&result, &format!("{stage}_threads")), 200.0);
        }
        for stage in FUTURES {
            assert_eq!(number(&result, &format!("{stage}_threads")), 0.0);
        }
    }
}

#[test]
fn together() {
    let result = lab("together --runs 1");
    // The origin holds the answers back that long; sooner is impossible.
    for stage in FUTURES {
        assert!(number(&result, &format!("{stage}_together_us")) >= 119_000.0);
    }
}

#[test]
fn pool_cap() {
    let result = lab("pool-cap --seconds 0.3");
    for workers in [5, 10, 20, 40] {
        let in_flight = number(&result, &format!("stage2_{workers}_in_flight"));
        assert_eq!(in_flight, f64::from(workers));
    }
    for places in [200.0, 1000.0] {
        let in_flight = number(&result, &format!("stage3_{places}_in_flight"));
        assert!(in_flight > 40.0 && in_flight <= places, "{in_flight}");
    }
}

#[test]
fn debugger() {
    let result = lab("debugger --n 10");
    let has = |stage: &str, function: &str| {
        let chain = &result["facts"][format!("{stage}_chain")];
        let chain = chain.as_array().expect("a call chain");
        chain.iter().any(|name| name == function)
    };
    // In a release build, functions have been put into others.
    let all_are_there = cfg!(debug_assertions);
    for stage in [
        "stage1",
        "stage2",
        "stage4-enum",
        "stage4-async",
        "stage5-hand",
    ] {
        let in_the_head = has(stage, "read_head") || has(stage, "poll_read_head");
        assert!(in_the_head || !all_are_there, "{stage}");
        if cfg!(target_os = "linux") {
            let waits_in_read = f64::from(10 * u8::from(stage < "stage3"));
            assert_eq!(number(&result, &format!("{stage}_in_read")), waits_in_read);
        }
    }
    assert!(has("stage3", "Reactor::run") || !all_are_there);
    assert!(has("stage3", "fetch_all") && !has("stage3", "read_head"));
}

#[test]
fn moves() {
    let result = lab("moves --n 20 --runs 1");
    for way in ["thread", "own", "tokio"] {
        assert_eq!(number(&result, &format!("{way}_moved")), 0.0);
    }
    assert_eq!(number(&result, "tokio-multi_done"), 20.0);
}

#[test]
fn stall() {
    let result = lab("stall --runs 1");
    for stage in FUTURES {
        assert!(
            is(&result, &format!("{stage}_late")),
            "{stage} shares the thread"
        );
    }
    // On one worker, and joined: the blocked thread is theirs.
    assert!(is(&result, "tokio_0_stopped"));
    assert!(is(&result, "tokio_2_stopped"));
}

#[test]
fn cancel() {
    let result = lab("cancel");
    for way in ["own-drop", "own-handle", "tokio-drop", "tokio-abort"] {
        assert!(is(&result, &format!("{way}_ended_early")), "{way}");
        assert!(is(&result, &format!("{way}_arrived")), "{way}");
    }
    for way in ["thread-detach", "tokio-detach"] {
        assert!(!is(&result, &format!("{way}_ended_early")), "{way}");
    }
}

#[test]
fn limit() {
    let result = lab("limit --n 1000");
    for way in ["semaphore", "channel", "buffered"] {
        assert!(number(&result, &format!("{way}_in_flight")) <= 50.0);
    }
    assert_eq!(number(&result, "semaphore_alive"), 1000.0);
    assert_eq!(number(&result, "channel_alive"), 50.0);
    assert_eq!(number(&result, "buffered_alive"), 50.0);
    assert!(number(&result, "semaphore_heap") > number(&result, "buffered_heap"));
}

#[test]
fn sizes() {
    let result = lab("sizes");
    assert!(number(&result, "scoped") < 1024.0);
    assert!(number(&result, "dropped") >= 1024.0);
    assert!(number(&result, "once") >= 2048.0);
    assert!(number(&result, "twice") > number(&result, "once"));
    assert!(number(&result, "by_reference") < 100.0);
}

#[test]
fn nesting() {
    let result = lab("nesting --n 1000 --runs 1");
    let counts = result["facts"]["counts"].as_array().expect("counts");
    assert_eq!(counts.len(), 4);
    for count in counts {
        assert_eq!(count[0], 0, "a level has become a task: {counts:?}");
        assert_eq!(count, &counts[0], "a level has allocated: {counts:?}");
    }
}

#[test]
fn lazy() {
    let result = lab("lazy --runs 1");
    for way in ["own-enum", "own-async", "tokio-async", "reqwest"] {
        assert!(
            is(&result, &format!("{way}_waited")),
            "{way} began before it was polled"
        );
    }
}

#[test]
fn in_flight() {
    let result = lab("in-flight --seconds 0.3");
    for way in ["thread each", "own futures", "tokio tasks"] {
        assert_eq!(number(&result, &format!("{way}_300_finished")), 90.0);
    }
}

#[test]
fn spawn() {
    let result = lab("spawn --n 100 --runs 1");
    for way in ["thread", "pool", "own", "tokio"] {
        assert_eq!(number(&result, &format!("{way}_1_done")), 100.0);
        assert_eq!(number(&result, &format!("{way}_100_done")), 100.0);
    }
}

#[test]
fn runnable() {
    let result = lab("runnable --n 20 --seconds 0.1");
    assert_eq!(number(&result, "runnable_threads"), 20.0);
    assert_eq!(number(&result, "alone_threads"), 0.0);
}

#[test]
fn small_stacks() {
    let result = lab("small-stacks");
    assert!(is(&result, "65536_1500_overflowed"));
    for survived in ["65536_50", "2097152_50", "2097152_1500"] {
        assert!(!is(&result, &format!("{survived}_overflowed")));
    }
}

#[test]
fn edge() {
    let result = lab("edge");
    assert_eq!(number(&result, "edge_drained"), 20_000.0);
    if cfg!(target_os = "linux") {
        assert_eq!(number(&result, "edge_once"), 8192.0);
        assert_eq!(number(&result, "level"), 20_000.0);
    }
}

#[test]
fn switch() {
    // There and back are two, so an odd number is one more.
    let result = lab("switch --n 999 --runs 1");
    let facts = result["facts"].as_object().expect("facts");
    let handed: Vec<_> = facts
        .iter()
        .filter(|(name, _)| name.ends_with("_handed"))
        .collect();
    assert!(handed.len() >= 4);
    assert!(
        handed
            .iter()
            .all(|(_, handed)| handed.as_u64() == Some(1000)),
        "{handed:?}"
    );
}

#[test]
fn cpu_bound() {
    let result = lab("cpu-bound --n 3 --runs 1");
    for way in [
        "sequence",
        "threads",
        "own",
        "tokio",
        "tokio-multi",
        "sleep-threads",
        "sleep-tokio",
    ] {
        assert_eq!(number(&result, &format!("{way}_done")), 3.0);
    }
}

#[test]
fn ceiling() {
    // Far below any: that it is reached is not for a test to try.
    let result = lab("ceiling --n 200");
    assert_eq!(number(&result, "threads"), 200.0);
    assert_eq!(result["verdict"], "open");
}

#[test]
fn every_experiment_has_a_test_here() {
    let output = Command::new(env!("CARGO_BIN_EXE_lab")).arg("list").output();
    let output = output.expect("the lab starts");
    let list = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next());
    let this = include_str!("smoke.rs");
    for name in names {
        let test = format!("fn {}()", name.replace('-', "_"));
        assert!(this.contains(&test), "no test of {name}");
    }
}
