//! A3.4: a smaller stack is not free: deep calls overflow it.
//!
//! **Prediction:** a shallow recursion runs on 64 KiB and on 2 MiB; a deep one
//! runs on 2 MiB and ends the process on 64 KiB. The overflow cannot be caught,
//! which is why it happens in a child process.
//!
//! **Measured:** how each child ends, and how much stack its recursion took,
//! where it lived to say so.
//!
//! **Disturbed by:** nothing.

use std::hint::black_box;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::experiments::{Experiment, subject};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::parameters::Parameters;
use crate::measure::protocol::Talk;
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "small-stacks",
    title: "the same recursion on 64 KiB and on 2 MiB",
    claims: &["A3.4"],
    run,
    subject: Some(serve),
};

const SMALL: usize = 64 << 10;
const LARGE: usize = 2 << 20;
const SHALLOW: usize = 50;
const DEEP: usize = 1500;

fn run(lab: &Lab) -> Outcome<Report> {
    let mut report = Report::default();
    report
        .predict("Only the deep recursion on the small stack fails, and takes its process along.");
    let mut table = Table::new(
        "One recursion, on a thread of its own",
        &["stack", "depth", "stack used", "how the process ended"],
    );
    let mut as_predicted = true;
    for (stack, depth) in [
        (SMALL, SHALLOW),
        (SMALL, DEEP),
        (LARGE, SHALLOW),
        (LARGE, DEEP),
    ] {
        lab.doing(&format!("{depth} deep"));
        let parameters = Parameters::new().with("stack", stack).with("depth", depth);
        let mut peer = subject(&EXPERIMENT, &parameters)?;
        peer.go()?;
        let (used, end) = match peer.json(Duration::from_secs(20)) {
            Ok(results) => {
                let used = results["used"].as_f64().during("the stack used")?;
                (Some(used), "by itself".to_owned())
            }
            Err(failure) => (None, overflow(failure)?),
        };
        let overflowed = used.is_none();
        as_predicted &= overflowed == (stack == SMALL && depth == DEEP);
        table.row([
            Cell::one(stack as f64, Unit::Bytes),
            Cell::one(depth as f64, Unit::Count),
            used.map_or_else(
                || Cell::text("more than it has"),
                |used| Cell::one(used, Unit::Bytes),
            ),
            Cell::text(end),
        ]);
        report.fact(format!("{stack}_{depth}_overflowed"), overflowed);
    }
    report.tables.push(table);
    report.note("A future has no stack to overflow while it waits, but its poll runs on one.");
    let why = if as_predicted {
        "the small stack saves address space and ends the process where calls go deep; the lab, \
         in another process, lives on."
    } else {
        "see the rows: another one overflowed, or none."
    };
    report.close(as_predicted, why);
    Ok(report)
}

/// What the child said last. Another end than an overflow is a failure, and no
/// answer.
fn overflow(failure: Failure) -> Outcome<String> {
    let text = failure.to_string();
    let line = text.lines().find(|line| line.contains("overflowed"));
    let from = |line: &str| line.find("thread").map(|at| line[at..].to_owned());
    line.and_then(from).ok_or(failure)
}

fn serve(talk: &Talk, parameters: &Parameters) -> Outcome<()> {
    let depth: usize = parameters.number("depth")?;
    let stack: usize = parameters.number("stack")?;
    talk.ready();
    // It ends with its descent, or takes the process with it; it is joined below;
    // there is one of it.
    let thread = thread::Builder::new()
        .name("deep".to_owned())
        .stack_size(stack)
        .spawn(move || {
            let top = [0u8; 1];
            let bottom = descend(depth);
            std::ptr::from_ref(&top).addr().saturating_sub(bottom)
        });
    let used = thread.during("starting the thread")?.join();
    let used = used.map_err(|_| Failure::new("the thread panicked"))?;
    talk.results(&json!({ "used": used }));
    Ok(())
}

/// Calls itself `depth` times, and says where the lowest frame was.
fn descend(depth: usize) -> usize {
    let frame = black_box([0u8; 128]);
    if depth == 0 {
        return std::ptr::from_ref(&frame).addr();
    }
    let bottom = descend(depth - 1);
    // The frame is needed until here, so that this is no tail call.
    black_box(&frame);
    bottom
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_overflow_counts_as_one() {
        let said =
            "small-stacks ended early; its last words: thread 'deep' has overflowed its stack";
        let end = overflow(Failure::new(said));
        assert!(end.is_ok_and(|end| end == "thread 'deep' has overflowed its stack"));
        assert!(overflow(Failure::new("small-stacks said nothing for 20 s")).is_err());
    }
}
