//! What the runs of a program showed.

use crate::launches::{Launch, VirtualDevice};
use crate::mistake::Mistake;
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

/// What the runs of a program showed. Displays mistakes with excerpts of the source, the error that ended the program, and
/// what each launch takes.
#[derive(Clone, Debug)]
pub struct Report {
    pub(crate) sources: SourceMap,
    pub(crate) mistakes: Vec<Mistake>,
    pub(crate) warnings: Vec<Mistake>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) trace: Vec<String>,
    pub(crate) output: String,
    pub(crate) result: Result<Vec<Value>, Stopped>,
    /// Whether the error that ended the program is among the mistakes.
    pub(crate) stopped_by_mistake: bool,
    pub(crate) runs: usize,
    pub(crate) device: VirtualDevice,
    pub(crate) style: Style,
}

impl Report {
    /// The mistakes: races first, then in the order of [`MistakeKind`](crate::MistakeKind).
    pub fn mistakes(&self) -> &[Mistake] {
        &self.mistakes
    }

    /// What is no mistake for sure: stores outside of arrays, which do nothing.
    pub fn warnings(&self) -> &[Mistake] {
        &self.warnings
    }

    /// Whether no mistake was found. A program may still have ended with an error of its own, see [`Report::result`].
    pub fn is_clean(&self) -> bool {
        self.mistakes.is_empty()
    }

    /// The results of the first run, in the order of positions, of the program as written.
    ///
    /// # Errors
    /// What ended it.
    pub fn result(&self) -> Result<&[Value], &Stopped> {
        self.result.as_deref()
    }

    /// What the first run printed.
    pub fn output(&self) -> &str {
        &self.output
    }

    /// The launches of the first run of each form of the program, alike ones together.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The lines of the trace; empty unless one was asked for.
    pub fn trace(&self) -> &[String] {
        &self.trace
    }

    /// How many times the program ran.
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
