//! Diagnostics: the kinds of kernel errors, with their source locations and messages.

use quasar_core::message::{Category, Code, Message};
use quasar_core::source::{SourceMap, Span};
use std::fmt;

/// The kinds of errors that the virtual device detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MistakeKind {
    /// A data race: two threads access one element, at least one writes it, and nothing orders them.
    Race,
    /// A read of shared memory that no thread of the block has written.
    Uninitialised,
    /// A divergent barrier: some threads of a block wait at a barrier that others do not reach.
    Divergence,
    /// An out-of-bounds access whose mode does not define it.
    OutOfBounds,
    /// An out-of-bounds store, which has no effect: a warning, since programs may rely on it.
    Dropped,
}

impl MistakeKind {
    fn code(self) -> Code {
        Code(match self {
            MistakeKind::Race => "Q0901",
            MistakeKind::Uninitialised => "Q0902",
            MistakeKind::Divergence => "Q0903",
            MistakeKind::OutOfBounds => "Q0904",
            MistakeKind::Dropped => "Q0905",
        })
    }
}

impl fmt::Display for MistakeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MistakeKind::Race => "race",
            MistakeKind::Uninitialised => "uninitialised memory",
            MistakeKind::Divergence => "divergent barrier",
            MistakeKind::OutOfBounds => "out of bounds",
            MistakeKind::Dropped => "dropped store",
        })
    }
}

/// A diagnostic. It is reported once, however many threads cause it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The kind.
    pub kind: MistakeKind,
    /// The kernel or function.
    pub kernel: String,
    /// The array; empty for barriers.
    pub array: String,
    /// The source locations involved, the closest to the error first.
    pub places: Vec<Place>,
    text: String,
    help: Option<&'static str>,
}

/// A source location of a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// A description, such as `thread [3] reads s[0]`.
    pub text: String,
    span: Span,
}

impl Mistake {
    /// A diagnostic without locations.
    pub(crate) fn new(kind: MistakeKind, kernel: &str, array: &str, text: String) -> Mistake {
        let help = match kind {
            MistakeKind::Race => None,
            MistakeKind::Uninitialised => Some("write it first, or take 'shared_zeros'"),
            MistakeKind::Divergence => Some("put 'syncthreads' where all threads of the block come by"),
            MistakeKind::OutOfBounds => {
                Some("test the position, or give the array a boundary mode such as 'safe or 'mirror")
            }
            MistakeKind::Dropped => {
                Some("test the position, or declare the array 'checked to make it an error")
            }
        };
        Mistake { kind, kernel: kernel.into(), array: array.into(), places: Vec::new(), text, help }
    }

    pub(crate) fn advise(mut self, help: &'static str) -> Mistake {
        self.help = Some(help);
        self
    }

    pub(crate) fn at(mut self, sources: &SourceMap, span: Span, text: impl Into<String>) -> Mistake {
        let known = (span.file.0 as usize) < sources.files().count();
        let line = if known { sources.line_column(span.file, span.start).0 } else { 0 };
        self.places.push(Place { line, text: text.into(), span });
        self
    }

    /// The lines involved, sorted and without duplicates.
    pub fn lines(&self) -> Vec<u32> {
        let mut lines: Vec<u32> = self.places.iter().map(|place| place.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Whether it is the same error, of other threads or another element.
    pub(crate) fn repeats(&self, other: &Mistake) -> bool {
        (self.kind, &self.array, self.lines()) == (other.kind, &other.array, other.lines())
    }

    pub(crate) fn message(&self) -> Message {
        let first = self.places.first();
        let span = first.map(|place| place.span).unwrap_or_default();
        let category = if self.kind == MistakeKind::Dropped { Category::Warning } else { Category::Error };
        let mut message = Message::new(self.kind.code(), category, span, self.text.clone());
        if let Some(place) = first {
            message = message.labelled(place.text.clone());
        }
        for place in self.places.iter().skip(1) {
            message = message.related(place.span, place.text.clone());
        }
        match self.help {
            Some(help) => message.help(help),
            None => message,
        }
    }
}
