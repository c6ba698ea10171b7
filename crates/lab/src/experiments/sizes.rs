//! A8.3, B4: only what lives across a suspension point is stored, nearly.
//!
//! **Prediction:** a buffer of 1,024 bytes that is out of scope before an
//! `.await` takes no room in the future; one that is still in scope does, also
//! after `drop` of a reference to it. An argument is stored twice: as what the future
//! was given, and as the variable of its body (rust-lang/rust#62958).
//!
//! **Measured:** `size_of_val` of futures that are never polled, and for the
//! stages of the fetch's own.
//!
//! **Disturbed by:** the compiler's version, and whether it optimises: sizes are
//! its to choose.

use std::hint::black_box;
use std::mem::size_of_val;
use std::rc::Rc;

use fetch_core::{Options, Request};
use stage4_hand_rolled_future::runtime::Runtime;
use stage4_hand_rolled_future::{by_compiler, by_hand};

use crate::experiments::Experiment;
use crate::failure::Outcome;
use crate::lab::Lab;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "sizes",
    title: "what a future stores: scope against drop, arguments twice, the fetch itself",
    claims: &["A8.3", "B4", "A7.4"],
    run,
    subject: None,
};

const BUFFER: usize = 1024;

fn run(_: &Lab) -> Outcome<Report> {
    let mut report = Report::default();
    report.predict(format!(
        "A buffer of {BUFFER} bytes: in a block of its own it is not stored; borrowed and then \
         dropped it is; an argument is stored twice, and once more for each async fn it goes through."
    ));
    let nothing = size_of_val(&without()) as f64;
    let scoped = size_of_val(&in_a_block()) as f64;
    let dropped = size_of_val(&borrowed_then_dropped()) as f64;
    let once = size_of_val(&kept([0; BUFFER])) as f64;
    let twice = size_of_val(&passed_on([0; BUFFER])) as f64;
    let by_reference = size_of_val(&passed_by_reference(&[0; BUFFER])) as f64;
    let mut table = Table::new(
        format!("Futures with a buffer of {BUFFER} bytes"),
        &["the buffer is", "size", "of that, copies of the buffer"],
    );
    for (what, name, size) in [
        ("not there", "without", nothing),
        ("in a block that ends before the .await", "scoped", scoped),
        (
            "borrowed, the reference dropped before the .await",
            "dropped",
            dropped,
        ),
        ("an argument, needed after the .await", "once", once),
        (
            "an argument, passed on to an inner async fn",
            "twice",
            twice,
        ),
        (
            "an argument by reference, passed on",
            "by_reference",
            by_reference,
        ),
    ] {
        table.row([
            Cell::text(what),
            Cell::one(size, Unit::Bytes),
            Cell::one((size / BUFFER as f64).floor(), Unit::Count),
        ]);
        report.fact(name, size);
    }
    report.tables.push(table);

    let fetches = fetches()?;
    let mut table = Table::new("The fetch of each stage", &["future", "size"]);
    for (what, size) in &fetches {
        table.row([Cell::text(*what), Cell::one(*size, Unit::Bytes)]);
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: "Size of the future of one fetch".to_owned(),
        unit: Unit::Bytes,
        log: false,
        series: vec!["size".to_owned()],
        bars: fetches
            .iter()
            .map(|(what, size)| ((*what).to_owned(), vec![Some(*size)]))
            .collect(),
    }));
    report.note("What a future owns elsewhere (buffers, its socket) is in `waiting-memory`.");
    let buffer = BUFFER as f64;
    let held = scoped < buffer && dropped >= buffer && once >= 2.0 * buffer && twice > once;
    let why = format!(
        "of a buffer whose last use is past, {dropped:.0} bytes are stored if it is still in \
         scope at the .await, {scoped:.0} if it is not; an argument is stored {:.0} times, and \
         passed on {:.0} times.",
        (once / buffer).floor(),
        (twice / buffer).floor()
    );
    report.close(held, why);
    Ok(report)
}

async fn pause() {
    std::future::ready(()).await;
}

async fn without() {
    pause().await;
}

async fn in_a_block() {
    {
        let buffer = [0u8; BUFFER];
        black_box(&buffer);
    }
    pause().await;
}

async fn borrowed_then_dropped() {
    let buffer = [0u8; BUFFER];
    // `drop(buffer)` of an array would drop a copy; what goes out of use here is
    // the borrow, as of a guard or a slice, and the buffer stays in scope.
    let borrowed = black_box(&buffer);
    #[expect(
        dropping_references,
        reason = "it is the point that this changes nothing"
    )]
    drop(borrowed);
    pause().await;
}

async fn kept(buffer: [u8; BUFFER]) {
    pause().await;
    black_box(&buffer);
}

async fn passed_on(buffer: [u8; BUFFER]) {
    kept(buffer).await;
}

async fn kept_by_reference(buffer: &[u8; BUFFER]) {
    pause().await;
    black_box(buffer);
}

async fn passed_by_reference(buffer: &[u8; BUFFER]) {
    kept_by_reference(buffer).await;
}

/// The futures of one fetch, made and never polled.
fn fetches() -> Outcome<Vec<(&'static str, f64)>> {
    let runtime = Runtime::new()?;
    let request = || Request::get("http://127.0.0.1:1/");
    let own = Rc::new(Options::default());
    let reactor = || Rc::clone(runtime.reactor());
    let options = Options::default();
    let client = stage5_async_await::with_reqwest::client(&options)?;
    let borrowed = request()?;
    let enumerated = by_hand::fetch(0, request()?, Rc::clone(&own), reactor());
    let compiled = by_compiler::fetch(0, request()?, Rc::clone(&own), reactor());
    let tokio = stage5_async_await::fetch::fetch(0, &borrowed, &options);
    let reqwest = stage5_async_await::with_reqwest::fetch(&client, 0, &borrowed, &options);
    Ok(vec![
        ("the request alone", size_of::<Request>() as f64),
        ("stage4-enum (owns it)", size_of_val(&enumerated) as f64),
        ("stage4-async (owns it)", size_of_val(&compiled) as f64),
        ("stage5-hand (borrows it)", size_of_val(&tokio) as f64),
        ("stage5-reqwest (borrows it)", size_of_val(&reqwest) as f64),
    ])
}
