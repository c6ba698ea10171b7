//! A4.5, A4.2: level- and edge-triggered readiness.
//!
//! **Prediction:** 20,000 bytes have come. A loop that reads 8,192 of them for
//! each event goes on under a level-triggered poller (`poll`), which reports what
//! *is* readable. Under an edge-triggered one (mio), which reports what *became*
//! readable, it stalls with 11,808 bytes left. Reading until `WouldBlock` mends
//! it.
//!
//! **Measured:** bytes read until no event comes for 200 ms.
//!
//! **Disturbed by:** nothing: all bytes have arrived before the first event is
//! asked for.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};

use crate::experiments::Experiment;
use crate::failure::{Failure, Outcome};
use crate::lab::Lab;
use crate::report::cell::{Cell, Unit};
use crate::report::plot::{Bars, Plot};
use crate::report::{Report, Table};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "edge",
    title: "20,000 bytes, and one read of 8,192 for each event",
    claims: &["A4.2", "A4.5"],
    run,
    subject: None,
};

const SENT: usize = 20_000;
const READ: usize = 8192;
const SILENCE: Duration = Duration::from_millis(200);
/// How long bytes may take within this machine.
const PATIENCE: Duration = Duration::from_secs(5);

fn run(_: &Lab) -> Outcome<Report> {
    let mut report = Report::default();
    report.predict(format!(
        "Edge, one read an event: {READ} of {SENT} bytes. All others: all of them."
    ));
    let (once, events_once) = edge(false)?;
    let (drained, events_drained) = edge(true)?;
    let level = level()?;
    let mut table = Table::new(
        format!("{SENT} bytes have come; reads of {READ}"),
        &[
            "poller",
            "reads for each event",
            "events",
            "bytes read",
            "bytes left",
        ],
    );
    let mut row = |poller: &str, reads: &str, read: usize, events: usize| {
        table.row([
            Cell::text(poller),
            Cell::text(reads),
            Cell::one(events as f64, Unit::Count),
            Cell::one(read as f64, Unit::Count),
            Cell::one((SENT - read) as f64, Unit::Count),
        ]);
    };
    row("edge-triggered (mio)", "one", once, events_once);
    row(
        "edge-triggered (mio)",
        "until WouldBlock",
        drained,
        events_drained,
    );
    let mut bars = vec![
        ("edge, one read".to_owned(), vec![Some(once as f64)]),
        ("edge, drained".to_owned(), vec![Some(drained as f64)]),
    ];
    if let Some((read, events)) = level {
        row("level-triggered (poll)", "one", read, events);
        bars.push(("level, one read".to_owned(), vec![Some(read as f64)]));
        report.fact("level", read);
    }
    report.tables.push(table);
    report.plots.push(Plot::Bars(Bars {
        title: format!("Bytes read of {SENT} before the loop waits for ever"),
        unit: Unit::Bytes,
        log: false,
        series: vec!["bytes".to_owned()],
        bars,
    }));
    report.fact("edge_once", once);
    report.fact("edge_drained", drained);
    if level.is_none() {
        report.note("The level-triggered poll(2) is not measured on this system.");
    }
    // Where a system reports again what is readable still, the claim does not hold:
    // mio promises no more than that one must drain.
    let held = once == READ && drained == SENT && level.is_none_or(|(read, _)| read == SENT);
    let why = format!(
        "one read an event leaves {} bytes unread for ever; draining leaves {}.",
        SENT - once,
        SENT - drained
    );
    report.close(held, why);
    Ok(report)
}

/// A socket into which all bytes have come, and its peer, which says no more.
fn filled() -> Outcome<(TcpStream, TcpStream)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let socket = TcpStream::connect(listener.local_addr()?)?;
    let (mut peer, _) = listener.accept()?;
    peer.write_all(&[7; SENT])?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut all = vec![0; SENT];
    let end = Instant::now() + PATIENCE;
    while socket.peek(&mut all)? < SENT {
        if Instant::now() > end {
            return Err(Failure::new(format!("{SENT} bytes do not arrive at once")));
        }
        thread::sleep(Duration::from_millis(1));
    }
    socket.set_nonblocking(true)?;
    Ok((socket, peer))
}

/// Bytes read, and events, until there are no more events.
fn edge(drain: bool) -> Outcome<(usize, usize)> {
    let (socket, _peer) = filled()?;
    let mut socket = mio::net::TcpStream::from_std(socket);
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(8);
    poll.registry()
        .register(&mut socket, Token(0), Interest::READABLE)?;
    let (mut read, mut seen) = (0, 0);
    // No more events than bytes, whatever a poller does.
    while seen < SENT {
        match poll.poll(&mut events, Some(SILENCE)) {
            // mio hands on what a signal interrupted.
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            polled => polled?,
        }
        if events.is_empty() {
            break;
        }
        seen += 1;
        loop {
            match socket.read(&mut [0; READ]) {
                Ok(0) => return Ok((read, seen)),
                Ok(length) => read += length,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(Failure::from(error)),
            }
            if !drain {
                break;
            }
        }
    }
    Ok((read, seen))
}

/// The same loop, one read an event, on poll(2).
#[cfg(unix)]
fn level() -> Outcome<Option<(usize, usize)>> {
    use std::os::fd::AsFd;

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    use crate::failure::During;

    let (mut socket, _peer) = filled()?;
    let timeout = PollTimeout::try_from(SILENCE).during("a timeout")?;
    let (mut read, mut seen) = (0, 0);
    loop {
        let mut wanted = [PollFd::new(socket.as_fd(), PollFlags::POLLIN)];
        match poll(&mut wanted, timeout) {
            Err(Errno::EINTR) => continue,
            polled if polled.during("poll")? == 0 => return Ok(Some((read, seen))),
            _ => {}
        }
        seen += 1;
        read += socket.read(&mut [0; READ])?;
    }
}

#[cfg(not(unix))]
fn level() -> Outcome<Option<(usize, usize)>> {
    Ok(None)
}
