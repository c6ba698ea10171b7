//! The scoreboard's tables and its picture.

use super::Row;
use crate::measure::sample::Sample;
use crate::measure::syscalls::Calls;
use crate::report::Table;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};

pub(super) fn table(rows: &[Row], no_calls: &str) -> Table {
    let mut table = Table::new(
        "Per waiting fetch, per fetch, per wait",
        &[
            "contestant",
            "in flight",
            "threads",
            "heap, waiting",
            "anonymous, waiting",
            "CPU per fetch",
            "CPU per wait",
            "system calls (of threads)",
            "wake-ups",
            "in sequence",
            "together",
            "other closed after",
        ],
    );
    for row in rows {
        let time = |sample: &Sample| Cell::sample(sample, Unit::Microseconds);
        // The extremes stand in the JSON.
        let middle = |sample: &Sample| Cell::some(sample.median(), Unit::Microseconds);
        let calls =
            |calls: &Calls| Cell::text(format!("{:.1} ({:.1})", calls.total(), calls.of_threads()));
        table.row([
            Cell::text(format!("{}, {}", row.name, row.what)),
            Cell::one(row.in_flight as f64, Unit::Count),
            Cell::some(row.threads, Unit::Count),
            Cell::some(row.heap, Unit::Bytes),
            Cell::some(row.anonymous, Unit::Bytes),
            time(&row.cpu),
            time(&row.resume),
            row.calls
                .as_ref()
                .map_or_else(|| Cell::NotMeasured(no_calls.to_owned()), calls),
            Cell::some(row.wake_ups, Unit::Count),
            middle(&row.in_sequence),
            middle(&row.together),
            middle(&row.cancelled),
        ]);
    }
    table
}

/// The fourth criterion is no number.
pub(super) fn coupling() -> Table {
    let mut table = Table::new(
        "Coupling: whom a fetch needs",
        &[
            "contestant",
            "its socket",
            "who must run meanwhile",
            "taken elsewhere",
        ],
    );
    for row in [
        [
            "stage1, stage2",
            "std, the kernel's",
            "nobody of ours",
            "runs on any thread",
        ],
        [
            "stage3",
            "mio, registered with one Poll",
            "its loop",
            "only as part of that loop",
        ],
        [
            "stage4",
            "own, handed a reactor",
            "own executor and reactor",
            "any executor on the reactor's thread",
        ],
        [
            "stage5",
            "tokio's",
            "tokio's reactor",
            "panics outside of tokio's runtime",
        ],
    ] {
        table.row(row.map(Cell::text));
    }
    table
}

pub(super) fn picture(rows: &[Row]) -> Plot {
    let bar = |row: &Row| {
        let ns = |us: Option<f64>| us.map(|us| us * 1000.0);
        (
            row.name.clone(),
            vec![
                row.anonymous,
                row.heap,
                ns(row.cpu.median()),
                ns(row.resume.median()),
            ],
        )
    };
    Plot::Bars(Bars {
        title: "The scoreboard: bytes of a waiting fetch, ns of processor time".to_owned(),
        unit: Unit::Count,
        log: true,
        series: vec![
            "anonymous bytes, waiting".to_owned(),
            "heap bytes, waiting".to_owned(),
            "CPU ns per fetch".to_owned(),
            "CPU ns per wait".to_owned(),
        ],
        bars: rows.iter().map(bar).collect(),
    })
}
