//! The measurements. Given: there is nothing to change here.

use std::error::Error;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use fetch_core::{OnError, Options, Request, Stage};
use origin::{Config, Connection, Origin};
use stage1_blocking_threads::fetch::fetch;
use stage1_blocking_threads::group::Group;
use stage2_thread_pool::ThreadPool;

/// In such steps Linux counts a program's processor time.
const STEP: Duration = Duration::from_millis(10);

/// What the origin server saw of some fetches.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// How many began, or finished, in a second.
    pub per_second: f64,
    /// How many were in flight, on the average.
    pub in_flight: f64,
    /// For which share of the time one processor was busy with them, at most;
    /// the origin's part is included. `None` where the system does not say.
    pub busy: Option<f64>,
}

/// Fetches on a pool of stage 2, of which each takes `each`: so many that every
/// one of the workers is busy four times in succession.
///
/// # Errors
///
/// There is no origin server, or a fetch failed.
pub fn on_a_pool(workers: NonZeroUsize, each: Duration) -> Result<Measured, Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let requests = vec![request(&origin, each)?; 4 * workers.get()];
    let number = requests.len() as f64;
    let pool = ThreadPool {
        workers: Some(workers),
    };
    let (started, before) = (Instant::now(), processor_time());
    for result in pool.fetch_all(requests, &Options::default()) {
        result?;
    }
    let (took, after) = (started.elapsed(), processor_time());
    let journal = origin.journal();
    Ok(Measured {
        per_second: number / took.as_secs_f64(),
        in_flight: average(&journal, started, started + took),
        busy: busy(before, after, took),
    })
}

/// Fetches that do not wait for each other: one begins every `every`, on a
/// thread of its own, `number` in all. Each takes `each`. What is said of them
/// is of the time after the first have ended and before the last has begun.
///
/// # Errors
///
/// There is no origin server, or the fetches are too few for such a time.
pub fn arriving(number: u32, every: Duration, each: Duration) -> Result<Measured, Box<dyn Error>> {
    let origin = Origin::start(Config::default())?;
    let request = request(&origin, each)?;
    let (group, options) = (Group::new(OnError::Finish), Options::default());
    let (started, before) = (Instant::now(), processor_time());
    thread::scope(|scope| {
        for index in 0..number {
            let moment = started + index * every;
            thread::sleep(moment.saturating_duration_since(Instant::now()));
            scope.spawn(|| fetch(0, &request, &options, &group));
        }
    });
    let (took, after) = (started.elapsed(), processor_time());
    let journal = origin.journal();
    let few = "too few fetches came to the origin";
    let (first, last) = journal.first().zip(journal.last()).ok_or(few)?;
    let arrived_in = last.opened.duration_since(first.opened);
    if arrived_in <= 2 * each {
        return Err(few.into());
    }
    Ok(Measured {
        per_second: (journal.len() - 1) as f64 / arrived_in.as_secs_f64(),
        in_flight: average(&journal, first.opened + 2 * each, last.opened),
        busy: busy(before, after, took),
    })
}

/// A fetch for which the origin takes that long.
fn request(origin: &Origin, each: Duration) -> Result<Request, Box<dyn Error>> {
    let path = format!("/delay/{}/16", each.as_millis());
    Ok(Request::get(&origin.url(&path))?)
}

/// How many of the connections were in flight between two moments, on the
/// average: the time that they spent in flight, over the time that passed.
fn average(journal: &[Connection], from: Instant, to: Instant) -> f64 {
    let spent = journal.iter().map(|connection| {
        let begun = connection.opened.clamp(from, to);
        let ended = connection.response_done_at.unwrap_or(to).clamp(from, to);
        ended.duration_since(begun).as_secs_f64()
    });
    spent.sum::<f64>() / to.duration_since(from).as_secs_f64()
}

fn busy(before: Option<Duration>, after: Option<Duration>, took: Duration) -> Option<f64> {
    // The system counts whole steps, of the program's time and of its own.
    let most = after?.saturating_sub(before?) + 2 * STEP;
    Some(most.as_secs_f64() / took.as_secs_f64())
}

/// The processor time of this process so far.
fn processor_time() -> Option<Duration> {
    // See proc_pid_stat(5): fields 14 and 15. The second, in brackets, may hold
    // anything.
    let said = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = said.rsplit_once(')')?;
    let fields = fields.split_whitespace().skip(11).take(2);
    let steps: Option<u32> = fields.map(|field| field.parse::<u32>().ok()).sum();
    Some(steps? * STEP)
}
