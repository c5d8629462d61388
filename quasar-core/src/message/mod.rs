//! Diagnostics as data: category, code, text, labelled spans and help, and the sink that collects them. `render` turns
//! them into text.

mod decision;
pub mod explain;
mod foreign;
mod nearest;
pub mod render;

pub use decision::{Decision, Doubt};
#[cfg(test)]
pub(crate) use foreign::FOREIGN;
pub(crate) use foreign::{foreign_field, foreign_name, foreign_type};
pub(crate) use nearest::{distance, nearest};

use crate::source::Span;
use std::collections::HashMap;

/// The severity of a message: determines the prefix, and whether compilation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The program is wrong.
    Error,
    /// The program may be right, but the compiler does not support it yet.
    Limitation,
    /// A defect of the compiler.
    Bug,
    /// The program probably does not do what was meant.
    Warning,
    /// The program is slower than it could be.
    PerformanceWarning,
    /// A remark about an optimisation.
    Optimization,
    /// A trace of a rewrite rule.
    Reduction,
    /// Other remarks.
    Information,
}

impl Category {
    /// Whether a message of this category stops compilation.
    pub fn is_error(self) -> bool {
        matches!(self, Category::Error | Category::Limitation | Category::Bug)
    }
}

/// A stable identifier such as `Q0203`, listed with an explanation in the documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

/// A labelled span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The span.
    pub span: Span,
    /// The label; may be empty.
    pub text: String,
}

/// A diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Stable identifier.
    pub code: Code,
    /// Severity.
    pub category: Category,
    /// The main text.
    pub text: String,
    /// The primary location.
    pub primary: Label,
    /// Further locations that explain it.
    pub related: Vec<Label>,
    /// Suggestions.
    pub help: Vec<String>,
    /// What a pass decided, if the message says that.
    pub decision: Option<Decision>,
}

impl Message {
    /// A message at one location, without labels or help.
    pub fn new(code: Code, category: Category, span: Span, text: impl Into<String>) -> Message {
        let primary = Label { span, text: String::new() };
        let (related, help) = (Vec::new(), Vec::new());
        Message { code, category, text: text.into(), primary, related, help, decision: None }
    }

    /// An error.
    pub fn error(code: &'static str, span: Span, text: impl Into<String>) -> Message {
        Message::new(Code(code), Category::Error, span, text)
    }

    /// A warning.
    pub fn warning(code: &'static str, span: Span, text: impl Into<String>) -> Message {
        Message::new(Code(code), Category::Warning, span, text)
    }

    /// `not supported yet: what`.
    pub fn not_supported(span: Span, what: impl std::fmt::Display) -> Message {
        Message::new(Code("Q0001"), Category::Limitation, span, format!("not supported yet: {what}"))
    }

    /// Sets the label of the primary location.
    pub fn labelled(mut self, text: impl Into<String>) -> Message {
        self.primary.text = text.into();
        self
    }

    /// Adds a related location.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Message {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds what was decided, as a value.
    pub fn decided(mut self, decision: Decision) -> Message {
        self.decision = Some(decision);
        self
    }

    /// Adds a suggestion.
    pub fn help(mut self, text: impl Into<String>) -> Message {
        self.help.push(text.into());
        self
    }
}

/// Collects the messages of all phases, without duplicates.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    messages: Vec<Message>,
    known: MessageIndex,
    remarks: Vec<Message>,
}

/// How much a sink holds, to go back to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    messages: usize,
    remarks: usize,
}

/// Indices into a list of messages, by primary span, to find duplicates. An index may be stale, so the message is
/// compared.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageIndex(HashMap<Span, Vec<usize>>);

impl MessageIndex {
    /// Adds a message unless an equal one is in the list. All messages of the list must have been added this way.
    pub(crate) fn add(&mut self, messages: &mut Vec<Message>, message: Message) {
        let places = self.0.entry(message.primary.span).or_default();
        if places.iter().any(|place| messages.get(*place) == Some(&message)) {
            return;
        }
        if !places.contains(&messages.len()) {
            places.push(messages.len());
        }
        messages.push(message);
    }
}

impl Sink {
    /// Adds a message unless an equal one exists.
    pub fn push(&mut self, message: Message) {
        debug_assert!(!message.text.is_empty(), "what no message speaks of is a remark");
        self.known.add(&mut self.messages, message);
    }

    /// Adds the messages of another sink.
    pub fn extend(&mut self, other: Sink) {
        for message in other.messages {
            self.push(message);
        }
        self.remarks.extend(other.remarks);
    }

    /// Keeps a decision of which no message speaks, for tools that ask what became of a place.
    pub fn remark(&mut self, message: Message) {
        self.remarks.push(message);
    }

    /// The decisions of which no message speaks.
    pub fn remarks(&self) -> &[Message] {
        &self.remarks
    }

    /// Whether some message stops compilation.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|m| m.category.is_error())
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How much there is; with [`Sink::back_to`] a phase can discard what a speculative attempt said.
    pub fn mark(&self) -> Mark {
        Mark { messages: self.messages.len(), remarks: self.remarks.len() }
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Drops all that came after the mark.
    pub fn back_to(&mut self, mark: Mark) {
        self.messages.truncate(mark.messages);
        self.remarks.truncate(mark.remarks);
    }

    /// All messages, sorted by location.
    pub fn into_sorted(mut self) -> Vec<Message> {
        self.messages.sort_by_key(|m| (m.primary.span, m.category));
        self.messages
    }
}
