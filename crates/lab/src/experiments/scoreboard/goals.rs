//! What the stages set out to reach, and whether this run shows it.

use std::hint::black_box;
use std::time::Instant;

use fetch_core::wait::{self, On};

use super::Row;
use crate::failure::Outcome;
use crate::measure::syscalls::Calls;
use crate::report::Table;
use crate::report::cell::{Cell, Unit};

/// The table of the goals, with this run's figures.
pub(super) fn table(rows: &[Row]) -> Outcome<Table> {
    let mut table = Table::new(
        "Figures to reach",
        &["figure", "measured", "goal", "stretch", "reached"],
    );
    let of = |name: &str| rows.iter().find(|row| row.name == name);
    let heap = |name: &str| of(name)?.heap;
    let mut at_most = |what: &str, unit: Unit, measured: Option<f64>, goal: f64, stretch: f64| {
        let reached = match measured {
            None => "not measured here",
            Some(value) if value <= stretch => "stretch",
            Some(value) if value <= goal => "goal",
            Some(_) => "no",
        };
        table.row([
            Cell::text(what),
            Cell::some(measured, unit),
            Cell::Predicted(goal, unit),
            Cell::Predicted(stretch, unit),
            Cell::text(reached),
        ]);
    };
    let bytes = Unit::Bytes;
    at_most(
        "stage 3, heap per waiting fetch",
        bytes,
        heap("stage3"),
        512.0,
        192.0,
    );
    at_most(
        "stage 4, enum, heap per waiting fetch",
        bytes,
        heap("stage4-enum"),
        640.0,
        256.0,
    );
    at_most(
        "stage 4, async fn, heap per waiting fetch",
        bytes,
        heap("stage4-async"),
        1024.0,
        512.0,
    );
    let anonymous = of("stage1").and_then(|row| row.anonymous);
    at_most(
        "stage 1, resident per waiting fetch",
        bytes,
        anonymous,
        12_000.0,
        10_000.0,
    );
    for name in ["stage3", "stage4-enum", "stage4-async"] {
        let cpu = |name: &str| of(name)?.cpu.median();
        let ratio = cpu(name)
            .zip(cpu("stage5-hand"))
            .map(|(own, tokio)| own / tokio);
        let what = format!("{name}, CPU per fetch against stage5-hand");
        at_most(&what, Unit::Ratio, ratio, 1.05, 1.0);
    }
    for (name, goal, stretch) in [
        ("stage1", 10.0, 6.0),
        ("stage3", 10.0, 8.0),
        ("stage4-enum", 11.0, 9.0),
        ("stage4-async", 11.0, 9.0),
    ] {
        let calls = |calls: &Calls| match name {
            "stage1" => calls.total() - calls.of_threads(),
            _ => calls.total(),
        };
        let calls = of(name).and_then(|row| row.calls.as_ref()).map(calls);
        let what = format!("{name}, system calls per fetch");
        at_most(&what, Unit::Count, calls, goal, stretch);
    }
    for name in ["stage4-enum", "stage4-async"] {
        let what = format!("{name}, wake-ups per fetch");
        let wake_ups = of(name).and_then(|row| row.wake_ups);
        at_most(&what, Unit::Count, wake_ups, 3.0, 1.0);
    }
    for row in rows.iter().filter(|row| row.name.starts_with("stage")) {
        // The least: other load on the machine only adds, and is not the stage's.
        let what = format!("{}, 80 + 120 ms in sequence, least", row.name);
        at_most(
            &what,
            Unit::Microseconds,
            row.in_sequence.min(),
            203_000.0,
            201_000.0,
        );
        let what = format!("{}, 80 + 120 ms together, least", row.name);
        at_most(
            &what,
            Unit::Microseconds,
            row.together.min(),
            123_000.0,
            121_000.0,
        );
    }
    let trace =
        of("stage5-hand").and_then(|row| Some(events_share(row.wake_ups?, row.cpu.median()?)));
    at_most(
        "tracing that nobody hears, of a fetch's CPU",
        Unit::Share,
        trace,
        0.01,
        0.001,
    );
    Ok(table)
}

/// What the events of a fetch cost while nobody listens, as a part of its
/// processor time: their number times the price of one, measured here.
fn events_share(wake_ups: f64, cpu_us: f64) -> f64 {
    const ROUNDS: usize = 1_000_000;
    let began = Instant::now();
    for fetch in 0..ROUNDS {
        wait::waiting(black_box(fetch), black_box(On::Readable));
    }
    let one_us = began.elapsed().as_secs_f64() * 1e6 / ROUNDS as f64;
    // `waiting`, `woken` and `resumed` for each wake-up, `started`, `finished`.
    (3.0 * wake_ups + 2.0) * one_us / cpu_us
}
