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

/// What the origin server saw of some fetches.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    /// How many began, or finished, in a second.
    pub per_second: f64,
    /// How many were in flight, on the average.
    pub in_flight: f64,
    /// The processor time for one fetch, the origin's part included. `None`
    /// where the system does not say.
    pub processor: Option<Duration>,
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
        processor: per_fetch(before, after, number),
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
    let after = processor_time();
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
        processor: per_fetch(before, after, f64::from(number)),
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

fn per_fetch(before: Option<Duration>, after: Option<Duration>, number: f64) -> Option<Duration> {
    Some(after?.saturating_sub(before?).div_f64(number))
}

/// The processor time of this process so far, in steps of 10 ms.
fn processor_time() -> Option<Duration> {
    // See proc_pid_stat(5): fields 14 and 15, in hundredths of a second. The
    // second field, in brackets, may hold anything.
    let said = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = said.rsplit_once(')')?;
    let fields = fields.split_whitespace().skip(11).take(2);
    let hundredths: Option<u64> = fields.map(|field| field.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(10 * hundredths?))
}
