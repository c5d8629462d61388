//! Builds a program with values for its parameters and times it.

use crate::arguments::Options;
use crate::load;
use crate::native::{self, Built, Purpose};
use quasar_core::message::render::{Style, snippets};
use quasar_devicelib::json::Json;
use quasar_runtime::abi::measured;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is measured, and how.
pub(super) struct Subject<'a> {
    /// The program.
    pub(super) file: &'a Path,
    pub(super) arguments: &'a [String],
    pub(super) options: &'a Options,
    pub(super) engine: &'a str,
    /// Most runs of a combination.
    pub(super) runs: u64,
}

/// Times of the runs of a combination, and what it printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Times {
    /// Milliseconds of each run.
    pub(super) runs: Vec<f64>,
    pub(super) printed: String,
}

/// How long a combination may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// A first run that takes longer is the only one.
    pub(super) slow: Duration,
    /// The process is ended then.
    pub(super) end: Duration,
}

/// No further run of a combination begins after this time.
const ENOUGH: Duration = Duration::from_millis(1500);

impl Times {
    /// The least time. The first run makes ready what later ones find: it counts only if it is the only one.
    pub(super) fn least(&self) -> f64 {
        self.counted().iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The time in the middle.
    pub(super) fn median(&self) -> f64 {
        let mut sorted = self.counted().to_vec();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::INFINITY)
    }

    /// What combinations are compared by: between the least time, which others on the machine do not disturb, and the time in the
    /// middle, which is no lucky one.
    pub(super) fn typical(&self) -> f64 {
        f64::midpoint(self.least(), self.median())
    }

    fn counted(&self) -> &[f64] {
        self.runs.get(1..).filter(|later| !later.is_empty()).unwrap_or(&self.runs)
    }

    /// Takes over the runs of another process.
    pub(super) fn add(&mut self, other: Times) {
        let first = if other.runs.len() > 1 { 1 } else { 0 };
        self.runs.extend(other.runs.into_iter().skip(first));
    }

    fn read(text: &str) -> Option<Times> {
        let json = Json::parse(text).ok()?;
        let time = |time: &Json| match time {
            Json::Number(ms) => Some(*ms),
            _ => None,
        };
        let runs: Vec<f64> = json.list("times")?.iter().map(time).collect::<Option<_>>()?;
        (!runs.is_empty()).then_some(Times { runs, printed: json.text("printed")? })
    }
}

impl Subject<'_> {
    /// Builds the program with more definitions. Warnings are not shown; errors are the result.
    pub(super) fn built(&self, definitions: &[String]) -> Result<Built, String> {
        let mut options = self.options.clone();
        options.definitions.extend(definitions.iter().cloned());
        let text = crate::fmt::read(self.file)?;
        let name = self.file.to_string_lossy();
        let compilation = load::compile_text(&name, &text, load::settings(&options)?, &options, true);
        if load::errors(&compilation.messages) > 0 {
            let errors: Vec<_> =
                compilation.messages.iter().filter(|m| m.category.is_error()).cloned().collect();
            return Err(snippets(&errors, &compilation.sources, Style::Plain).trim_end().to_owned());
        }
        native::built_of(self.file, compilation, &options, Purpose::Measure)
    }

    /// Runs a program that was built. What ends without times is an error.
    pub(super) fn timed(&self, built: &Built, limits: Limits) -> Result<Times, String> {
        let begin = Instant::now();
        let mut times = self.process(built, limits)?;
        // Programs without `main` run once in a process; all of these runs are first ones.
        let once = times.runs.len() == 1 && times.runs[0] < limits.slow.as_secs_f64() * 1e3;
        while once && (times.runs.len() as u64) < self.runs && begin.elapsed() < ENOUGH {
            times.runs.extend(self.process(built, limits)?.runs);
        }
        Ok(times)
    }

    fn process(&self, built: &Built, limits: Limits) -> Result<Times, String> {
        let file = |ending: &str| scratch().join(format!("tune-{}.{ending}", std::process::id()));
        let (results, said) = (file("json"), file("txt"));
        let _ = std::fs::remove_file(&results);
        let errors = std::fs::File::create(&said).map_err(|error| format!("{}: {error}", said.display()))?;
        let mut process = built.process(self.arguments, self.options, self.engine);
        process
            .env(measured::RESULTS, &results)
            .env(measured::RUNS, self.runs.to_string())
            .env(measured::TIME, ENOUGH.as_millis().to_string())
            .env(measured::SLOW, limits.slow.as_millis().to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors);
        let ended = wait(&mut process, limits.end);
        let written = std::fs::read_to_string(&results).unwrap_or_default();
        let text = std::fs::read(&said).unwrap_or_default();
        let _ = std::fs::remove_file(&results);
        let _ = std::fs::remove_file(&said);
        ended?;
        Times::read(&written).ok_or_else(|| {
            let text = String::from_utf8_lossy(&text).trim().to_owned();
            if text.is_empty() { "the program ended without a result".to_owned() } else { text }
        })
    }
}

/// A folder that nobody else can write to.
pub(super) fn scratch() -> PathBuf {
    quasar_files::trust::cache_folder()
}

/// Waits for a process, and ends it where it takes too long.
fn wait(process: &mut Command, most: Duration) -> Result<(), String> {
    let mut child = process.spawn().map_err(|error| format!("the program cannot be started: {error}"))?;
    let (begin, mut pause) = (Instant::now(), Duration::from_millis(1));
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return Ok(()),
            Ok(None) if begin.elapsed() < most => {
                std::thread::sleep(pause);
                pause = (pause * 2).min(Duration::from_millis(50));
            }
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it was ended after {:.0} s", most.as_secs_f64()));
            }
            Err(error) => return Err(format!("the program cannot be waited for: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_run_counts_only_alone() {
        let times = |runs: &[f64]| Times { runs: runs.to_vec(), printed: String::new() };
        assert_eq!((times(&[9.0, 3.0, 1.0, 2.0]).least(), times(&[9.0, 3.0, 1.0, 2.0]).median()), (1.0, 2.0));
        assert_eq!((times(&[9.0]).least(), times(&[9.0]).median()), (9.0, 9.0));
        let mut both = times(&[9.0, 3.0]);
        both.add(times(&[1.0, 2.0]));
        assert_eq!(both.runs, [9.0, 3.0, 2.0]);
    }

    #[test]
    fn results_are_read() {
        let times = Times::read("{\"times\": [1.5, 2], \"printed\": \"a\\n\"}").expect("times");
        assert_eq!(times, Times { runs: vec![1.5, 2.0], printed: "a\n".into() });
        for wrong in ["", "{}", "{\"times\": [], \"printed\": \"\"}", "{\"times\": [1]}"] {
            assert_eq!(Times::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_takes_too_long_is_ended() {
        let ended = wait(Command::new("sleep").arg("60"), Duration::from_millis(100));
        assert_eq!(ended, Err("it was ended after 0 s".to_owned()));
        assert_eq!(wait(&mut Command::new("true"), Duration::from_secs(60)), Ok(()));
    }
}
