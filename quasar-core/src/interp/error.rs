//! Run-time errors and their messages.

use crate::source::{SourceMap, Span};
use quasar_devicelib::value::{ErrorKind, Exception, ValueError};
use std::fmt;
use std::rc::Rc;

/// The class of a run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunErrorKind {
    /// An error of the value library.
    Value(ErrorKind),
    /// `error(..)`.
    Raised,
    /// A condition of `assert` does not hold.
    Assertion,
    /// A variable is read before it is assigned.
    Unassigned,
    /// Barrier divergence: threads of a block wait at different barriers.
    Divergence,
    /// Too many steps, nested calls or threads.
    Limit,
    /// A watcher ended the program.
    Stopped,
    /// A violated IR invariant, hence a compiler bug.
    Internal,
}

/// The error that ended a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunError {
    /// The whole message, with the line if the sources are known.
    pub text: String,
    /// The function or kernel that was running.
    pub function: String,
    /// Location of the statement that was running.
    pub span: Span,
    /// Error class.
    pub kind: RunErrorKind,
    /// The message without the kernel and the line.
    pub brief: String,
    /// Related source locations, with explanations.
    pub related: Vec<(String, Span)>,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for RunError {}

/// An error that propagates to a handler or to the caller.
#[derive(Clone, Debug)]
pub(super) struct Fault(Box<Details>);

#[derive(Clone, Debug)]
struct Details {
    kind: RunErrorKind,
    text: String,
    place: Option<(Rc<str>, Span)>,
    kernel: Option<(Rc<str>, bool)>,
    related: Vec<(String, Span)>,
}

impl Fault {
    pub(super) fn new(kind: RunErrorKind, text: impl Into<String>) -> Fault {
        Fault(Box::new(Details { kind, text: text.into(), place: None, kernel: None, related: Vec::new() }))
    }

    /// Sets the location unless a location nearer to the cause is set.
    pub(super) fn at(mut self, function: &Rc<str>, span: Span) -> Fault {
        self.0.place.get_or_insert_with(|| (function.clone(), span));
        self
    }

    /// Drops the location unless it is in one of the first `files` files.
    pub(super) fn within(mut self, files: u32) -> Fault {
        self.0.place = self.0.place.filter(|(_, span)| span.file.0 < files);
        self
    }

    /// Adds a related source location.
    pub(super) fn related(mut self, text: impl Into<String>, span: Span) -> Fault {
        self.0.related.push((text.into(), span));
        self
    }

    /// Records the launch that the error stopped.
    pub(super) fn in_launch(mut self, kernel: &Rc<str>, serial: bool) -> Fault {
        self.0.kernel.get_or_insert_with(|| (kernel.clone(), serial));
        self
    }

    /// Whether handlers of the program may catch it.
    pub(super) fn is_catchable(&self) -> bool {
        !matches!(self.0.kind, RunErrorKind::Limit | RunErrorKind::Stopped | RunErrorKind::Internal)
    }

    /// Whether it is of an exception class; `None` matches all.
    pub(super) fn is(&self, exception: Option<Exception>) -> bool {
        let own = match self.0.kind {
            RunErrorKind::Value(kind) => Some(kind.into()),
            RunErrorKind::Raised => Some(Exception::User),
            RunErrorKind::Assertion => Some(Exception::Assertion),
            RunErrorKind::Unassigned
            | RunErrorKind::Divergence
            | RunErrorKind::Limit
            | RunErrorKind::Stopped
            | RunErrorKind::Internal => None,
        };
        exception.is_none() || exception == own
    }

    /// The message for the program and the user.
    pub(super) fn text(&self, sources: Option<&SourceMap>) -> String {
        let details = &*self.0;
        let mut text = match &details.kernel {
            Some((kernel, true)) => format!("(serial_do) {kernel} - "),
            Some((kernel, false)) => format!("(parallel_do) {kernel} - "),
            None => String::new(),
        };
        let line = match (sources, &details.place) {
            (Some(sources), Some((_, span))) if (span.file.0 as usize) < sources.files().count() => {
                Some(sources.line_column(span.file, span.start).0)
            }
            _ => None,
        };
        match (details.kind, line) {
            (RunErrorKind::Assertion, Some(line)) if details.text.is_empty() => {
                text.push_str(&format!("assertion failed: line {line}"));
            }
            (RunErrorKind::Assertion, Some(line)) => {
                text.push_str(&format!("assertion failed: {}, line {line}", details.text));
            }
            (RunErrorKind::Assertion, None) if details.text.is_empty() => {
                text.push_str("assertion failed: the condition is false");
            }
            (RunErrorKind::Assertion, None) => text.push_str(&format!("assertion failed: {}", details.text)),
            (RunErrorKind::Raised, _) => text.push_str(&details.text),
            (_, Some(line)) => text.push_str(&format!("{}, line {line}", details.text)),
            (_, None) => text.push_str(&details.text),
        }
        text
    }

    pub(super) fn report(self, sources: Option<&SourceMap>) -> RunError {
        let text = self.text(sources);
        let details = *self.0;
        let (function, span) = match details.place {
            Some((function, span)) => (function.to_string(), span),
            None => (String::new(), Span::default()),
        };
        RunError { text, function, span, kind: details.kind, brief: details.text, related: details.related }
    }
}

impl From<ValueError> for Fault {
    fn from(error: ValueError) -> Fault {
        let kind = match error.kind {
            ErrorKind::User => RunErrorKind::Raised,
            other => RunErrorKind::Value(other),
        };
        Fault::new(kind, error.text)
    }
}
