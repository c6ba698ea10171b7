//! `--trace`: the story of a run, a lane for each fetch.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::thread::ThreadId;
use std::time::Duration;

use crate::screen::{Screen, Style};
use crate::story::{Moment, Story, What};

/// With more fetches than this, lanes are wider than what they say, and the
/// moments are only listed.
const MOST_LANES: usize = 12;
/// So that lanes and words stay within a line.
const LONGEST_NAME: usize = 16;
/// A pause this long, with nothing under way, is said in a line of its own.
const LONG: Duration = Duration::from_millis(5);

const LEGEND: &str = "● started  ○ waits  ◆ woken  ► resumed  ■ finished   ┃ runs  ┊ does not run";

/// Prints the whole story.
pub(crate) fn print(screen: &mut Screen, story: &Story) -> io::Result<()> {
    let fetches = story.moments.iter().map(|moment| moment.fetch + 1).max();
    let mut lanes = Lanes::new(fetches.unwrap_or(0));
    let names = ThreadNames::of(story);
    writeln!(screen, "\n{}", screen.paint(Style::Dim, LEGEND))?;
    let heading = format!(
        "{:>9}  {:<w$}{}",
        "ms",
        "thread",
        lanes.heading(),
        w = names.width
    );
    writeln!(screen, "{}", screen.paint(Style::Bold, heading.trim_end()))?;

    let mut last = Duration::ZERO;
    for moment in &story.moments {
        let pause = moment.at.saturating_sub(last);
        if pause >= LONG && lanes.all_wait() {
            let picture = lanes.picture(screen, None);
            let said = format!("{:.1} ms in which nothing runs", milliseconds(pause));
            let said = screen.paint(Style::Dim, said);
            writeln!(
                screen,
                "{:>9}  {:<w$}{picture}{said}",
                "",
                "",
                w = names.width
            )?;
        }
        last = moment.at;

        lanes.enter(moment);
        let time = milliseconds(moment.at);
        let thread = names.get(moment.thread.0);
        let picture = lanes.picture(screen, Some(moment));
        let said = screen.paint(style(moment), say(moment));
        writeln!(
            screen,
            "{time:>9.1}  {thread:<w$}{picture}{said}",
            w = names.width
        )?;
    }
    if story.dropped > 0 {
        writeln!(screen, "… and {} more, which were not kept", story.dropped)?;
    }
    Ok(())
}

fn say(moment: &Moment) -> String {
    let fetch = moment.fetch;
    match &moment.what {
        What::Started => format!("fetch {fetch} started"),
        What::Waiting { on } => format!("fetch {fetch} waiting on {on}"),
        What::Woken { by } => format!("fetch {fetch} woken by {by}"),
        What::Resumed => format!("fetch {fetch} resumed"),
        What::Finished { outcome } => format!("fetch {fetch} finished {outcome}"),
    }
}

fn style(moment: &Moment) -> Style {
    match &moment.what {
        What::Finished { outcome } if outcome != "ok" => Style::Bad,
        _ => Style::Lane(moment.fetch),
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Where a fetch is between two moments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lane {
    Outside,
    Runs,
    Waits,
}

/// All fetches, drawn side by side if they are few.
struct Lanes {
    lanes: Vec<Lane>,
    drawn: usize,
    running: usize,
}

impl Lanes {
    fn new(fetches: usize) -> Lanes {
        Lanes {
            lanes: vec![Lane::Outside; fetches],
            drawn: if fetches <= MOST_LANES { fetches } else { 0 },
            running: 0,
        }
    }

    fn heading(&self) -> String {
        (0..self.drawn).map(|fetch| format!("{fetch:>3}")).collect()
    }

    fn all_wait(&self) -> bool {
        self.running == 0 && self.lanes.contains(&Lane::Waits)
    }

    fn enter(&mut self, moment: &Moment) {
        let lane = &mut self.lanes[moment.fetch];
        let now = match moment.what {
            What::Started | What::Resumed => Lane::Runs,
            What::Waiting { .. } => Lane::Waits,
            // A wake-up that comes after the end wakes nothing.
            What::Woken { .. } if *lane == Lane::Outside => Lane::Outside,
            What::Woken { .. } => Lane::Waits,
            What::Finished { .. } => Lane::Outside,
        };
        self.running -= usize::from(*lane == Lane::Runs);
        self.running += usize::from(now == Lane::Runs);
        *lane = now;
    }

    /// One line of all lanes, with `moment` in its own.
    fn picture(&self, screen: &Screen, moment: Option<&Moment>) -> String {
        let mut picture = String::new();
        for (fetch, lane) in self.lanes.iter().take(self.drawn).enumerate() {
            let sign = match (moment, lane) {
                (Some(moment), _) if moment.fetch == fetch => match moment.what {
                    What::Started => "●",
                    What::Waiting { .. } => "○",
                    What::Woken { .. } => "◆",
                    What::Resumed => "►",
                    What::Finished { .. } => "■",
                },
                (_, Lane::Outside) => {
                    picture.push_str("   ");
                    continue;
                }
                (_, Lane::Runs) => "┃",
                (_, Lane::Waits) => "┊",
            };
            picture.push_str("  ");
            picture.push_str(&screen.paint(Style::Lane(fetch), sign));
        }
        picture.push_str("  ");
        picture
    }
}

/// What the threads of a story are called. Those without a name, and those that
/// share one as the workers of a pool do, get a number in order of appearance.
struct ThreadNames {
    names: HashMap<ThreadId, String>,
    width: usize,
}

impl ThreadNames {
    fn of(story: &Story) -> ThreadNames {
        let mut groups: BTreeMap<&str, Vec<ThreadId>> = BTreeMap::new();
        let mut known = HashSet::new();
        for moment in &story.moments {
            let (id, name) = &moment.thread;
            if known.insert(*id) {
                let name = name.as_deref().unwrap_or_default();
                groups.entry(name).or_default().push(*id);
            }
        }
        let mut names = HashMap::new();
        for (name, threads) in groups {
            for (i, thread) in threads.iter().enumerate() {
                let name: String = name.chars().take(LONGEST_NAME).collect();
                let name = match (name.as_str(), threads.len()) {
                    ("", _) => format!("thread {}", i + 1),
                    (_, 1) => name,
                    _ => format!("{name} {}", i + 1),
                };
                names.insert(*thread, name);
            }
        }
        let width = names.values().map(|name| name.chars().count()).max();
        ThreadNames {
            width: width.unwrap_or(0).max("thread".len()),
            names,
        }
    }

    fn get(&self, thread: ThreadId) -> &str {
        self.names.get(&thread).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_late_wake_up_does_not_bring_a_fetch_back() {
        let enter = |lanes: &mut Lanes, what| {
            let thread = (thread::current().id(), None);
            lanes.enter(&Moment {
                at: Duration::ZERO,
                thread,
                fetch: 0,
                what,
            });
        };
        let mut lanes = Lanes::new(1);
        assert!(!lanes.all_wait(), "nothing has begun");
        enter(&mut lanes, What::Started);
        assert!(!lanes.all_wait(), "it runs");
        let on = "readable".to_owned();
        enter(&mut lanes, What::Waiting { on });
        assert!(lanes.all_wait());
        let outcome = "ok".to_owned();
        enter(&mut lanes, What::Finished { outcome });
        let by = "reactor".to_owned();
        enter(&mut lanes, What::Woken { by });
        assert!(!lanes.all_wait(), "it is over");
    }
}
