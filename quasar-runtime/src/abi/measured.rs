//! Runs a program several times for who compares versions of it, and writes how long it took and what it printed.

use crate::context;
use crate::error::Result;
use quasar_devicelib::json::quoted;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

/// Where the results go; the program runs as usual without it.
pub const RESULTS: &str = "QUASAR_MEASURE_RESULTS";
/// Most runs.
pub const RUNS: &str = "QUASAR_MEASURE_RUNS";
/// Milliseconds after which no further run begins.
pub const TIME: &str = "QUASAR_MEASURE_TIME";
/// Milliseconds: a program whose first run takes longer is not run again.
pub const SLOW: &str = "QUASAR_MEASURE_SLOW";

/// Random numbers are the same in each run.
const SEED: u64 = 20;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs a program: once if nobody measures it, or if it cannot be run again in one process.
///
/// # Errors
/// That of the program, or that results cannot be written.
pub fn measured(again: bool, mut run: impl FnMut() -> Result<()>) -> Result<()> {
    let Some(file) = std::env::var_os(RESULTS) else { return run() };
    let most = if again { number(RUNS).unwrap_or(1).max(1) } else { 1 };
    let (begin, all) = (Instant::now(), Duration::from_millis(number(TIME).unwrap_or(u64::MAX)));
    let slow = Duration::from_millis(number(SLOW).unwrap_or(u64::MAX));
    let (mut times, mut printed) = (Vec::new(), String::new());
    while (times.len() as u64) < most {
        context::seed(SEED);
        let _ = context::take_timed();
        let (done, output) = context::capture(|| {
            let begin = Instant::now();
            run()?;
            context::synchronize()?;
            Ok::<_, crate::Error>((begin.elapsed(), context::take_timed()))
        });
        let (whole, timed) = done?;
        // What stands between `tic` and `toc` counts, if the program marks a part of itself so.
        times.push(timed.unwrap_or(whole.as_secs_f64() * 1e3));
        if times.len() == 1 {
            printed = output;
            if whole > slow {
                break;
            }
        }
        if begin.elapsed() > all {
            break;
        }
    }
    let list: Vec<String> = times.iter().map(|ms| format!("{ms:.6}")).collect();
    let mut text = String::new();
    let _ = writeln!(text, "{{\"times\": [{}], \"printed\": {}}}", list.join(", "), quoted(&printed));
    std::fs::write(Path::new(&file), text)
        .map_err(|error| crate::Error::system(format!("the times cannot be written: {error}")))
}
