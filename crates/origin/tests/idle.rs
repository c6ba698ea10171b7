//! Waiting costs no processor time, whatever is waited for. In a process of
//! its own, so that the only threads named "origin" are those of this test.
#![cfg(target_os = "linux")]

mod client;

use std::io::Write;
use std::thread;
use std::time::Duration;

use client::{connect, request, soon};
use origin::{Config, Origin, Script};

#[test]
fn waiting_costs_no_processor_time() {
    let config = Config {
        max_connections: 12,
        ..Config::default()
    };
    let origin = Origin::start(config).expect("start");
    let long = Duration::from_secs(60);
    let begun = || Script::new().expect_request();
    let scripts = [
        Script::new().expect_head(),
        Script::new().pause(long),
        begun().pause(long),
        begun().fill(1 << 30),
        begun().drip(9, long),
        begun().stall(),
        begun().send("x").fin(),
        begun().send("x").close(),
        Script::new().expect_head().stall_unread(),
        Script::new().expect_head().fill(1 << 30),
    ];
    let mut held: Vec<_> = scripts
        .into_iter()
        .enumerate()
        .map(|(at, script)| {
            let mut stream = connect(origin.listen(script).expect("listen"));
            let sent = request("GET", "/");
            let cut = if at == 0 { 5 } else { sent.len() };
            stream.write_all(&sent.as_bytes()[..cut]).expect("write");
            stream
        })
        .collect();
    // Two more are held and the third waits in the backlog.
    held.extend((0..3).map(|_| connect(origin.address())));
    soon("all are accepted", || origin.open_connections() == 12);
    thread::sleep(Duration::from_millis(100));

    let before = processor_ticks();
    thread::sleep(Duration::from_millis(500));
    let spent = processor_ticks() - before;
    assert!(spent <= 2, "{spent} ticks of 10 ms in half a second");
}

/// The processor time of all threads named "origin", in ticks of 10 ms.
fn processor_ticks() -> u64 {
    let tasks = std::fs::read_dir("/proc/self/task").expect("the threads");
    let stats = tasks.flatten().filter_map(|task| {
        let stat = std::fs::read_to_string(task.path().join("stat")).ok()?;
        let (name, fields) = stat.rsplit_once(')')?;
        let mut times = fields.split_whitespace().skip(11).map(str::parse::<u64>);
        let (user, system) = (times.next()?.ok()?, times.next()?.ok()?);
        name.ends_with("(origin").then_some(user + system)
    });
    let stats: Vec<u64> = stats.collect();
    assert_eq!(stats.len(), 1, "one origin runs");
    stats.iter().sum()
}
