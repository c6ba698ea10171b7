//! The program: its options, its output, its exit codes.

mod client;

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Output, Stdio};

use client::{exchange, request, start};

fn program(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_origin"));
    command.args(arguments);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn output(arguments: &[&str]) -> Output {
    program(arguments).output().expect("it runs")
}

/// Ends a child even if the test fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_says_where_it_listens_serves_and_sums_up() {
    let mut child = Running(
        program(&["--port", "0", "--until-stdin-closes"])
            .spawn()
            .expect("run"),
    );
    let mut stdout = BufReader::new(child.0.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    let address = line
        .strip_prefix("listening on http://")
        .expect("the first line");
    let address: SocketAddr = address.trim_end().parse().expect("an address");
    for _ in 0..3 {
        let (got, _) = exchange(address, request("GET", "/bytes/3").as_bytes());
        assert!(got.ends_with(b"\r\n\r\nabc"));
    }
    drop(child.0.stdin.take());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).expect("the summary");
    assert_eq!(rest, "connections: 3, peak in flight: 1\n");
    assert!(child.0.wait().expect("exit").success());
}

#[test]
fn without_the_option_it_outlives_its_input() {
    let mut child = Running(
        program(&["--port", "0"])
            .stdin(Stdio::null())
            .spawn()
            .expect("run"),
    );
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().expect("piped"))
        .read_line(&mut line)
        .expect("a line");
    let address = line.trim_end().trim_start_matches("listening on http://");
    let address = address.parse().expect("an address");
    let (got, _) = exchange(address, request("GET", "/bytes/3").as_bytes());
    assert!(got.ends_with(b"abc"));
    assert!(child.0.try_wait().expect("status").is_none());
}

#[test]
fn usage_errors_exit_with_2_and_point_to_help() {
    let bad: [&[&str]; 7] = [
        &["--port"],
        &["--port", "65536"],
        &["--port", "x"],
        &["--address", "localhost"],
        &["--max-connections", "0"],
        &["--bogus"],
        &["extra"],
    ];
    for arguments in bad {
        let output = output(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.starts_with("origin: ") && stderr.contains("--help"),
            "{stderr}"
        );
    }
    let stderr = String::from_utf8_lossy(&output(&["--port", "x"]).stderr).into_owned();
    let said = "origin: --port must be a number from 0 to 65535, and not \"x\"; try --help";
    assert_eq!(stderr.trim_end(), said);
    let help = output(&["--help"]);
    assert!(help.status.success());
    assert!(String::from_utf8_lossy(&help.stdout).contains("--until-stdin-closes"));
}

#[test]
fn a_port_in_use_is_explained() {
    let origin = start();
    let port = origin.address().port().to_string();
    let output = output(&["--port", &port]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains(&port) && stderr.contains("--port"),
        "{stderr}"
    );
}

#[test]
fn a_closed_output_is_no_reason_to_panic() {
    let mut child = program(&["--port", "0", "--until-stdin-closes"])
        .spawn()
        .expect("run");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("exit");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Connections beyond the descriptor limit wait in the backlog; the origin
/// neither dies nor drops them.
#[cfg(unix)]
#[test]
fn without_descriptors_clients_wait_their_turn() {
    let limited = "ulimit -n 30 && exec \"$0\" --port 0 --until-stdin-closes";
    let mut command = Command::new("sh");
    command.args(["-c", limited, env!("CARGO_BIN_EXE_origin")]);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = Running(piped.spawn().expect("run"));
    let mut stdout = BufReader::new(child.0.stdout.take().expect("piped"));
    let mut line = String::new();
    stdout.read_line(&mut line).expect("a line");
    let address = line.trim_end().trim_start_matches("listening on http://");
    let address: SocketAddr = address.parse().expect("an address");
    let clients: Vec<_> = (0..60)
        .map(|_| {
            std::thread::spawn(move || {
                exchange(address, request("GET", "/delay/50/3").as_bytes()).0
            })
        })
        .collect();
    for client in clients {
        assert!(client.join().expect("no panic").ends_with(b"\r\n\r\nabc"));
    }
    drop(child.0.stdin.take());
    let mut summary = String::new();
    stdout.read_to_string(&mut summary).expect("the summary");
    let peak = summary
        .trim_end()
        .rsplit(' ')
        .next()
        .and_then(|n| n.parse().ok());
    assert!(summary.starts_with("connections: 60, "), "{summary}");
    assert!(
        peak.is_some_and(|peak: usize| (10..30).contains(&peak)),
        "{summary}"
    );
}
