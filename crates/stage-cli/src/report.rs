//! Results and summary for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use fetch_core::Response;

use crate::fetched::Fetched;
use crate::meter::{Cost, NOT_MEASURED_HERE};
use crate::screen::{Printable, Screen, Style};

/// Up to this many fetches are shown one by one; of more, the failed ones.
const MOST_SHOWN: usize = 16;
/// The longest body that is shown, in bytes.
const SHORT_BODY: usize = 512;

/// The fetches, one by one.
pub(crate) fn list(screen: &mut Screen, fetched: &[Fetched]) -> io::Result<()> {
    let crowd = fetched.len() > MOST_SHOWN;
    let worth_showing = |one: &&Fetched| !crowd || one.result.is_err();
    for one in fetched.iter().filter(worth_showing).take(MOST_SHOWN) {
        self::fetched(screen, one)?;
    }
    if crowd {
        let shown = fetched.iter().filter(worth_showing).count().min(MOST_SHOWN);
        let rest = thousands(fetched.len() - shown);
        let line = format!("{rest} fetches not shown one by one; --json lists all");
        writeln!(screen, "{}", screen.paint(Style::Dim, line))?;
    }
    Ok(())
}

fn fetched(screen: &mut Screen, one: &Fetched) -> io::Result<()> {
    let index = format!("[{}]", one.index);
    let ms = duration(one.elapsed);
    let url = Printable(one.url);
    match &one.result {
        Ok(response) => {
            let status = status(screen, response);
            let size = bytes(response.body().len());
            writeln!(screen, "{index:<4} {status}  {size}  {ms}  {url}")?;
            body(screen, response)
        }
        Err(error) => {
            let kind = screen.paint(Style::Bad, error.kind());
            writeln!(screen, "{index:<4} {kind}  {ms}  {url}")?;
            writeln!(screen, "     {}", Printable(&error.to_string()))
        }
    }
}

/// `200 OK`, in the colour of its class.
pub(crate) fn status(screen: &Screen, response: &Response) -> String {
    let status = response.status();
    let style = if status.is_success() {
        Style::Good
    } else {
        Style::Bad
    };
    let reason = status.canonical_reason().unwrap_or_default();
    let text = format!("{} {reason}", status.as_u16());
    screen.paint(style, text.trim_end())
}

/// The body, if it is short and text.
pub(crate) fn body(screen: &mut Screen, response: &Response) -> io::Result<()> {
    let body = response.body();
    if body.len() <= SHORT_BODY
        && let Ok(text) = str::from_utf8(body)
    {
        for line in text.lines() {
            writeln!(screen, "     {}", Printable(line))?;
        }
    }
    Ok(())
}

/// What the run came to, and what it cost.
pub(crate) fn summary(screen: &mut Screen, fetched: &[Fetched], cost: &Cost) -> io::Result<()> {
    let mut failures = BTreeMap::new();
    for error in fetched.iter().filter_map(|one| one.result.as_ref().err()) {
        *failures.entry(error.kind().as_str()).or_insert(0_usize) += 1;
    }
    let failed: usize = failures.values().sum();
    let mut fetches = thousands(fetched.len());
    if failed == 0 {
        fetches.push_str(", all ok");
    } else {
        // Writing to a String cannot fail.
        let _ = write!(fetches, ": {} ok", thousands(fetched.len() - failed));
    }
    for (kind, count) in failures {
        let _ = write!(fetches, ", {} {kind}", thousands(count));
    }

    writeln!(screen)?;
    for (label, value) in [
        ("fetches", fetches),
        ("wall time", duration(cost.wall)),
        ("peak in flight", thousands(cost.heard.peak_unfinished)),
        ("peak threads", threads(cost)),
        ("peak memory", memory(cost)),
    ] {
        writeln!(
            screen,
            "{}  {value}",
            screen.paint(Style::Bold, format_args!("{label:<14}"))
        )?;
    }
    Ok(())
}

/// The most threads of the stage that were seen at once.
pub(crate) fn threads(cost: &Cost) -> String {
    match cost.peak_threads {
        Ok(threads) => thousands(threads),
        Err(why_not) => why_not.to_owned(),
    }
}

fn memory(cost: &Cost) -> String {
    let whose = if cost.origin_is_here {
        "with the origin server, which runs in this process"
    } else {
        "this process"
    };
    match cost.peak_memory {
        Some(kib) => format!("{:.1} MiB ({whose})", kib as f64 / 1024.0),
        None => NOT_MEASURED_HERE.to_owned(),
    }
}

/// `201.3 ms`, `1.24 s`
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1000.0)
    } else {
        format!("{seconds:.2} s")
    }
}

/// `1 byte`, `1,024 bytes`
pub(crate) fn bytes(count: usize) -> String {
    match count {
        1 => "1 byte".to_owned(),
        _ => format!("{} bytes", thousands(count)),
    }
}

/// `1,001`
fn thousands(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1001, "1,001"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(thousands(number), text);
        }
    }
}
