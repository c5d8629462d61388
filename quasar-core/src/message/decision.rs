//! What passes decide about loops and array expressions, as values: messages say it in words, tools show it in theirs.

use crate::source::Span;

use super::{Category, Code, Message};

/// What a pass decided about the loop or the array expression at the place of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A nest became a parallel kernel of so many dimensions.
    Parallel { dims: usize },
    /// Why the loop inside of these dimensions is none of them.
    NoDimension { why: String },
    /// A nest of so many loops became a kernel that runs in order; 0 for a loop of unknown length.
    Serial { dims: usize },
    /// Iterations depend on each other: the variable that carries it, and how.
    Depends { name: String, what: String },
    /// A loop stays in its function, since it does what stands here: `prints`.
    Host { why: String },
    /// The threads of the processor share the iterations, since the loop does what stands here.
    Threads { why: String },
    /// The launches of a loop go round the devices.
    Distributed,
    /// A loop runs in order where two names are one array.
    WhereNamesDiffer { pairs: Vec<(String, String)> },
    /// The indices of an access are tested when the program runs.
    Tested(Doubt),
    /// Another transform took the code: what it made of it.
    Transformed { what: String },
    /// So many operations on arrays became one kernel.
    Fused { operations: usize },
    /// A part of an array expression is computed by the library, and why.
    Stored { name: String, why: String },
    /// What is known of some variables before a statement, in one of the copies of its code.
    Known { about: Vec<String>, facts: Vec<String> },
}

/// Why an access is tested: what is not proved. Indices are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The sizes of the array are not known, not even as terms.
    Sizes,
    /// Nothing is known of this index.
    Index(usize),
    /// This index may be negative.
    Negative(usize),
    /// This index may be as large as the size, or larger.
    Beyond(usize),
    /// Nothing by itself, but others to the same array in the loop are tested: rows of windows are read as one.
    Others,
    /// There are more accesses in the function than are looked at.
    Many,
}

impl Decision {
    /// The decision as a remark, of which no message speaks; `at` is what explains it.
    pub fn remark(self, span: Span, at: Span) -> Message {
        let message = Message::new(Code("Q0501"), Category::Optimization, span, String::new()).decided(self);
        if at == span { message } else { message.related(at, "because of this") }
    }
}
