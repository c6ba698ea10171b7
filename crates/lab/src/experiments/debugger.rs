//! A1.1, B2, B20.2: what a debugger shows of a hundred waiting fetches.
//!
//! **Prediction:** stop a process in which a hundred fetches wait, and look at its
//! threads' stacks. In stages 1 and 2 a hundred are inside a read, with the whole
//! fetch on each. From stage 3 on all of them together are in one `epoll_wait`, and
//! no fetch is on any stack. While a fetch *runs* it is different: then the chain of
//! its functions is there in stages 4 and 5, too, down from the executor. In
//! stage 3 it is gone by the time the loop knows that the fetch waits.
//!
//! **Measured:** *waiting:* the system call that each thread is in, from /proc.
//! *Stopping:* the backtrace in the moment in which fetch 0 reports that it waits
//! for an answer, the stages' own functions only.
//!
//! **Disturbed by:** the compiler, which puts functions into others. A debug build
//! shows all of them.

use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::contestants::{Contestant, all_ok};
use crate::experiments::{Experiment, crowd};
use crate::failure::{During, Failure, Outcome};
use crate::lab::Lab;
use crate::measure::asleep::Asleep;
use crate::measure::origin::OriginProcess;
use crate::measure::parameters::Parameters;
use crate::measure::peer::Peer;
use crate::report::cell::{Cell, Unit};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "debugger",
    title: "what stacks show of a hundred fetches: while they wait, and when one stops",
    claims: &["A1.1", "B2", "B20.2"],
    run,
    subject: None,
};

/// How long the answers are held back, and how much longer for each fetch.
const HOLD: Duration = Duration::from_millis(2000);
const HOLD_EACH: Duration = Duration::from_millis(1);
/// One of each kind, since seven chains have no room side by side.
const SHOWN: [&str; 4] = ["stage1", "stage3", "stage4-async", "stage5-hand"];
/// From the last request's arrival to its sender's being asleep, with room for a busy
/// machine.
const SETTLE: Duration = Duration::from_millis(200);
const SETTLES: u32 = 5;

fn run(lab: &Lab) -> Outcome<Report> {
    let n = crowd::for_every_stage(lab, lab.n(100));
    let mut origin = OriginProcess::start()?;
    let mut report = Report::default();
    report.predict(
        "Waiting: a thread each in stages 1 and 2, nothing from stage 3 on. Stopping: the whole \
         fetch in all but stage 3.",
    );
    let mut waiting = Table::new(
        format!("While {n} fetches wait: threads, by what they are inside"),
        &["contestant", "a fetch's read", "epoll_wait"],
    );
    let mut chains = Vec::new();
    let (mut measured, mut as_predicted) = (false, true);
    for contestant in Contestant::stages() {
        lab.doing(&contestant.name);
        let (asleep, chain) = look(&mut origin, &contestant, n)?;
        let has_stacks = contestant.needs_threads();
        if let Some(asleep) = asleep {
            measured = true;
            report.fact(format!("{}_in_read", contestant.name), asleep.in_read);
            as_predicted &= match has_stacks {
                true => asleep.in_read == n && asleep.in_epoll == 0,
                false => asleep.in_read == 0 && asleep.in_epoll > 0,
            };
        }
        let count = |of: fn(Asleep) -> usize| {
            Cell::some(asleep.map(|asleep| of(asleep) as f64), Unit::Count)
        };
        waiting.row([
            Cell::text(&contestant.name),
            count(|asleep| asleep.in_read),
            count(|asleep| asleep.in_epoll),
        ]);
        report.fact(format!("{}_chain", contestant.name), chain.clone());
        if SHOWN.contains(&&*contestant.name) {
            chains.push(chain);
        }
    }
    report.tables.extend([waiting, side_by_side(&chains)]);
    report.note(
        "Only functions of the stages are shown; between two of them there may be some of std and \
         of tokio. All seven chains are in the JSON.",
    );
    let why = if as_predicted {
        "a thread that waits has its fetch on its stack; a future that waits is on none."
    } else {
        "see the first table."
    };
    match measured {
        true => report.close(as_predicted, why),
        false => report.leave_open("this system does not say what a thread is inside."),
    }
    Ok(report)
}

/// The chains as stacks: whoever was called last stands on top.
fn side_by_side(chains: &[Vec<String>]) -> Table {
    let title = "When a fetch stops: its functions on the stack, the last one called on top";
    let mut table = Table::new(title, &SHOWN);
    let depth = chains.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..depth {
        table.row(chains.iter().map(|chain| {
            // Chains begin with the innermost function, and end in the same row.
            let function = (row + chain.len()).checked_sub(depth);
            Cell::text(function.map_or("", |at| &chain[at]))
        }));
    }
    table
}

fn look(
    origin: &mut OriginProcess,
    contestant: &Contestant,
    n: usize,
) -> Outcome<(Option<Asleep>, Vec<String>)> {
    let hold = HOLD + HOLD_EACH * u32::try_from(n).during("so many fetches")?;
    let patience = hold + Duration::from_secs(30);
    let job = Parameters::new()
        .with("job", "crowd")
        .with("origins", origin.urls())
        .with("path", format!("/delay/{}/16", hold.as_millis()))
        .with("n", n)
        .with("in-flight", n)
        .with("deadline-ms", patience.as_millis())
        .with("chain", 1);
    let mut peer = contestant.start(&job)?;
    origin.wait_until_idle(Duration::from_secs(10))?;
    origin.reset()?;
    peer.go()?;
    // So soon that there is time to look before the first answer.
    let limit = hold - SETTLE * SETTLES;
    let in_time = origin.wait_for(n, limit)?;
    let asleep = at_rest(&peer);
    let results = peer.results(patience)?;
    all_ok(&results, n).during(&contestant.name)?;
    if !in_time {
        return Err(Failure::new(format!(
            "{} did not have {n} fetches in flight at once within {} ms",
            contestant.name,
            limit.as_millis()
        )));
    }
    let chain = results["chain"].as_array().during("the call chain")?;
    let names = chain.iter().filter_map(Value::as_str);
    Ok((asleep, names.map(str::to_owned).collect()))
}

/// Where the threads are once they stay there.
fn at_rest(peer: &Peer) -> Option<Asleep> {
    let mut last = None;
    for _ in 0..SETTLES {
        thread::sleep(SETTLE);
        let asleep = peer.asleep()?;
        if last == Some(asleep) {
            break;
        }
        last = Some(asleep);
    }
    last
}
