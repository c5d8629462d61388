//! The report: diagnostics, launches, trace, output and result of the runs of a program.

use crate::diagnostic::Mistake;
use crate::launches::{Launch, VirtualDevice};
use quasar_core::message::render::{self, Style};
use quasar_core::source::SourceMap;
use quasar_devicelib::value::Value;
use std::fmt;

/// A program ended with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The message, with its line.
    pub text: String,
    /// The function or kernel that was running.
    pub function: String,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for Stopped {}

/// The merged results of all runs. Displays diagnostics with source excerpts, the error that ended the program, and the
/// resource usage of each launch.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) sources: SourceMap,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) warnings: Vec<Mistake>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) trace: Vec<String>,
    pub(crate) output: String,
    pub(crate) result: Result<Vec<Value>, Stopped>,
    /// Whether the error that ended the program is among the diagnostics.
    pub(crate) stopped_by_mistake: bool,
    pub(crate) runs: usize,
    pub(crate) device: VirtualDevice,
    pub(crate) style: Style,
}

impl Report {
    /// The errors found: races first, then in the order of [`MistakeKind`](crate::MistakeKind).
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// The warnings: out-of-bounds stores, which have no effect.
    pub fn warnings(&self) -> &[Mistake] {
        &self.warnings
    }

    /// Whether no error was found. The program may still have ended with an error of its own, see [`Report::result`].
    pub fn is_clean(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// The results of the first run, which is serial, of the program as written.
    ///
    /// # Errors
    /// The error that ended it.
    pub fn result(&self) -> Result<&[Value], &Stopped> {
        self.result.as_deref()
    }

    /// The output of the first run.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// The launches of the serial run of each form of the program; equal ones are merged.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The lines of the trace; empty unless one was requested.
    pub fn trace(&self) -> &[String] {
        &self.trace
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.runs
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for mistake in self.mistakes.iter().chain(&self.warnings) {
            writeln!(f, "{}", render::snippet(&mistake.message(), &self.sources, self.style))?;
        }
        if let (Err(stopped), false) = (&self.result, self.stopped_by_mistake) {
            writeln!(f, "the program ended with an error: {stopped}\n")?;
        }
        for launch in &self.launches {
            writeln!(f, "{launch}; {}", self.device.occupancy(launch))?;
        }
        match self.mistakes.len() {
            0 => write!(f, "no mistakes in {} runs", self.runs),
            1 => write!(f, "1 mistake in {} runs", self.runs),
            many => write!(f, "{many} mistakes in {} runs", self.runs),
        }
    }
}
