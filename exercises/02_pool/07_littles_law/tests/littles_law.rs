//! The predictions, against the articles' figures and against real fetches.

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Duration;

use ex07_littles_law::measure::{self, Measured};
use ex07_littles_law::{in_flight, most_per_second};

type TestResult = Result<(), Box<dyn Error>>;

/// The time that a fetch takes here.
const EACH: Duration = Duration::from_millis(100);

/// In the articles: 1 ms of computing, 100 ms of waiting.
const EACH_IN_THE_ARTICLES: Duration = Duration::from_millis(101);

#[test]
fn a_fetch_takes_100_ms_of_waiting() -> TestResult {
    let measured = measure::on_a_pool(NonZeroUsize::MIN, EACH)?;
    let most = 1.02 / EACH.as_secs_f64();
    let rate = measured.per_second;
    assert!(rate <= most, "{rate} a second, one after the other");
    eprintln!("a fetch takes 100 ms; {}", processor(measured));
    Ok(())
}

#[test]
fn ten_thousand_a_second_are_a_thousand_in_flight() {
    let predicted = in_flight(10_000.0, EACH_IN_THE_ARTICLES);
    assert!(
        (predicted - 1_010.0).abs() < 0.1,
        "10,000 a second, 101 ms each: 1,010 in flight, and not {predicted}"
    );
    let predicted = in_flight(10.0, Duration::from_secs(3));
    assert!(
        (predicted - 30.0).abs() < 0.1,
        "10 a second, 3 s each: 30 in flight, and not {predicted}"
    );
}

#[test]
fn two_hundred_workers_are_a_limit() {
    let predicted = most_per_second(200, EACH_IN_THE_ARTICLES);
    assert!(
        (predicted - 1_980.2).abs() < 0.1,
        "200 workers, 101 ms each: 1,980 a second, and not {predicted}"
    );
    for workers in [1, 7, 64] {
        let each = Duration::from_millis(250);
        let busy = in_flight(most_per_second(workers, each), each);
        assert!(
            (busy - workers as f64).abs() < 0.1,
            "at its limit all {workers} workers of a pool are busy, and not {busy}"
        );
    }
}

#[test]
fn a_crowd_is_as_large_as_predicted() -> TestResult {
    let measured = measure::arriving(80, Duration::from_millis(10), EACH)?;
    let rate = measured.per_second;
    let predicted = in_flight(rate, EACH);
    let seen = measured.in_flight;
    eprintln!(
        "{rate:.0} a second, 100 ms each: {predicted:.1} in flight predicted, {seen:.1} measured"
    );
    assert!(
        (predicted / 1.5..predicted * 1.5).contains(&seen),
        "{rate:.0} a second, 100 ms each: you predict {predicted:.1} in flight, and the origin saw \
         {seen:.1}"
    );
    let slow = in_flight(100.0, Duration::from_secs(1));
    eprintln!("100 a second, and the server takes 1 s instead: {slow:.0} in flight");
    Ok(())
}

#[test]
fn a_pool_is_as_fast_as_predicted_and_no_faster() -> TestResult {
    for workers in [2, 8] {
        let predicted = most_per_second(workers, EACH);
        let workers = NonZeroUsize::new(workers).ok_or("no workers")?;
        let measured = measure::on_a_pool(workers, EACH)?;
        let (rate, busy) = (measured.per_second, measured.in_flight);
        eprintln!(
            "{workers} workers: {predicted:.0} a second predicted, {rate:.1} measured; \
             {busy:.1} in flight; {}",
            processor(measured)
        );
        // Slower it may be, on a machine that has other things to do. Faster
        // it cannot be.
        assert!(
            (0.4 * predicted..1.02 * predicted).contains(&rate),
            "{workers} workers, 100 ms each: you predict {predicted:.1} a second, and the pool did \
             {rate:.1}"
        );
    }
    Ok(())
}

fn processor(measured: Measured) -> String {
    match measured.busy {
        Some(share) => format!("one processor was busy for {:.0} % at most", share * 100.0),
        None => "this system does not say how busy the processor was".to_owned(),
    }
}
