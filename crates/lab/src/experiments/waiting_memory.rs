//! A3.3, A7.4: what a fetch occupies while it waits, split into stack, heap and
//! kernel.
//!
//! **Prediction:** ten thousand threads *reserve* what their stacks may grow to
//! (2 MiB each in Rust, so about 20 GiB; 9.77 GiB at the article's 1 MiB) and
//! *occupy* what they have touched. The article guesses 128 KiB a thread, an
//! order of magnitude and not a measurement. What is saved of a future is its
//! value and what it owns.
//!
//! **Measured:** the difference between a contestant that is ready and one that
//! has `n` fetches in flight, which the origin confirms. Anonymous memory from
//! `smaps_rollup`; heap from the counting allocator, the caller's requests and
//! results apart; *stacks and allocator* is what is left of the anonymous. The
//! kernel's share is of the whole machine, and for sockets of both ends.
//!
//! **Disturbed by:** the kernel's figures by whatever else starts and ends
//! meanwhile; the others by nothing.

use crate::experiments::{Experiment, crowd};
use crate::failure::{During, Outcome};
use crate::lab::Lab;
use crate::measure::origin::OriginProcess;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Axis, Bars, Lines, Mark, Plot, Series};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "waiting-memory",
    title: "what a waiting fetch occupies: stack, heap, kernel",
    claims: &["A3.3", "A3.7", "A7.4"],
    run,
    subject: None,
};

/// What std reserves for a thread's stack.
const STACK_RESERVED: f64 = 2.0 * 1024.0 * 1024.0;
/// What the article takes a thread to occupy.
const GUESSED: f64 = 128.0 * 1024.0;

fn run(lab: &Lab) -> Outcome<Report> {
    let most = lab.n(10_000);
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(format!(
        "{most} threads reserve {} and occupy an order of magnitude less; a future occupies \
         what it still needs.",
        Unit::Bytes.show(STACK_RESERVED * most as f64)
    ));
    let mut split = Table::new(
        format!("Per waiting fetch, at {most} in flight"),
        &[
            "contestant",
            "in flight",
            "threads",
            "reserved",
            "anonymous",
            "heap",
            "blocks",
            "stacks and allocator",
            "page tables",
            "kernel stack*",
            "other kernel memory*",
        ],
    );
    let (mut lines, mut bars) = (Vec::new(), Vec::new());
    let (mut thread, mut future) = (None, None);
    for contestant in lab.contestants() {
        let largest = crowd::scaled_down(lab, &contestant, most);
        let mut points = Vec::new();
        for n in [largest / 100, largest / 10, largest] {
            if n == 0 {
                continue;
            }
            lab.doing(&format!("{}, {n} in flight", contestant.name));
            let waiting = crowd::measure(&mut origin, &contestant, n)?;
            if let Some(bytes) = waiting.anonymous_each().filter(|bytes| *bytes > 0.0) {
                points.push((n as f64, bytes));
            }
            if n < largest {
                continue;
            }
            let each = |all: Option<f64>| Cell::some(all.map(|all| all / n as f64), Unit::Bytes);
            let system = waiting.system;
            let rest = system.anonymous.zip(waiting.heap_since_ready);
            let rest = rest.map(|(all, heap)| (all - heap).max(0.0));
            split.row([
                Cell::text(&contestant.name),
                Cell::one(n as f64, Unit::Count),
                Cell::some(system.threads, Unit::Count),
                each(system.reserved),
                each(system.anonymous),
                each(waiting.heap),
                Cell::some(waiting.blocks_each(), Unit::Count),
                each(rest),
                each(system.page_tables),
                each(system.kernel_stacks),
                each(system.slab),
            ]);
            report.fact(format!("{}_in_flight", contestant.name), waiting.n);
            report.fact(format!("{}_threads", contestant.name), system.threads);
            report.fact(
                format!("{}_heap_each", contestant.name),
                waiting.heap_each(),
            );
            report.fact(
                format!("{}_anonymous_each", contestant.name),
                waiting.anonymous_each(),
            );
            match contestant.name.as_str() {
                "stage1" => thread = Threads::of(&waiting),
                "stage4-async" => future = waiting.heap_each(),
                _ => {}
            }
            bars.push((
                contestant.name.clone(),
                vec![waiting.heap_each(), waiting.anonymous_each()],
            ));
        }
        lines.push(Series {
            name: contestant.name,
            mark: Mark::Measured,
            points,
        });
    }
    report.tables.push(split);
    report.plots.push(Plot::Bars(Bars {
        title: format!("Memory of one waiting fetch, {most} in flight"),
        unit: Unit::Bytes,
        log: true,
        series: vec![
            "heap, caller's share apart".to_owned(),
            "anonymous, all of it".to_owned(),
        ],
        bars,
    }));
    report.plots.push(Plot::Lines(Lines {
        title: "Anonymous memory per waiting fetch".to_owned(),
        x: axis("fetches in flight", Unit::Count),
        y: axis("bytes per fetch", Unit::Bytes),
        series: lines,
    }));
    report.note("* of the whole machine; a socket has two ends here, and both are in it.");
    report.note(
        "Heap: less the caller's requests and room for their results. Anonymous memory contains \
         the results; the requests were made before it was looked at. With few in flight, it is \
         mostly what is set up once.",
    );
    close(&mut report, thread, future)?;
    Ok(report)
}

fn axis(label: &str, unit: Unit) -> Axis {
    Axis {
        label: label.to_owned(),
        unit,
        log: true,
    }
}

fn close(report: &mut Report, threads: Option<Threads>, future: Option<f64>) -> Outcome<()> {
    let Some(Threads {
        n,
        reserved,
        resident,
    }) = threads
    else {
        report.leave_open("this system does not say what a process occupies.");
        return Ok(());
    };
    let future = future.during("the future's heap")?;
    let why = format!(
        "{n} threads reserve {} and occupy {} each, where the article guesses 128 KiB; a future \
         keeps {}, 1/{:.0} of the thread's.",
        Unit::Bytes.show(reserved),
        Unit::Bytes.show(resident),
        Unit::Bytes.show(future),
        resident / future,
    );
    report.close(
        reserved > 10.0 * resident * n as f64 && resident < GUESSED && future < resident,
        why,
    );
    Ok(())
}

/// What threads that wait take, in bytes.
struct Threads {
    n: usize,
    /// By all.
    reserved: f64,
    /// By each.
    resident: f64,
}

impl Threads {
    fn of(waiting: &crowd::Waiting) -> Option<Self> {
        Some(Threads {
            n: waiting.n,
            reserved: waiting.system.reserved?,
            resident: waiting.anonymous_each()?,
        })
    }
}
