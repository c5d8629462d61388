//! Messages to the user: what was found, what was expected, what to do, and where.

mod foreign;
mod nearest;
pub mod render;

#[cfg(test)]
pub(crate) use foreign::FOREIGN;
pub(crate) use foreign::{foreign_field, foreign_name, foreign_type};
pub(crate) use nearest::{distance, nearest};

use crate::source::Span;
use std::collections::HashMap;

/// What kind of message it is; decides the prefix and whether compilation succeeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Category {
    /// The program is wrong.
    Error,
    /// The program may be right, but this compiler cannot do it yet.
    Limitation,
    /// The compiler is wrong.
    Bug,
    /// The program probably does not do what was meant.
    Warning,
    /// The program is slower than it could be.
    PerformanceWarning,
    /// What the optimiser did.
    Optimization,
    /// What a rewrite rule did.
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

/// A place with an optional remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say there; may be empty.
    pub text: String,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Stable identifier.
    pub code: Code,
    /// Severity.
    pub category: Category,
    /// The sentence.
    pub text: String,
    /// Where.
    pub primary: Label,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What to do.
    pub help: Vec<String>,
}

impl Message {
    /// A message at one place without further remarks.
    pub fn new(code: Code, category: Category, span: Span, text: impl Into<String>) -> Message {
        let primary = Label { span, text: String::new() };
        Message { code, category, text: text.into(), primary, related: Vec::new(), help: Vec::new() }
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

    /// Sets the remark at the primary place.
    pub fn labelled(mut self, text: impl Into<String>) -> Message {
        self.primary.text = text.into();
        self
    }

    /// Adds another place.
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Message {
        self.related.push(Label { span, text: text.into() });
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Message {
        self.help.push(text.into());
        self
    }
}

/// Where phases put their messages.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    messages: Vec<Message>,
    known: Known,
}

/// Where in a list the messages of each place stand. It may name messages that were dropped or replaced, so each is looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known(HashMap<Span, Vec<usize>>);

impl Known {
    /// Adds a message to a list unless an equal one is there already. All of the list's messages must have been added so.
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
    /// Adds a message unless an equal one is there already.
    pub fn push(&mut self, message: Message) {
        self.known.add(&mut self.messages, message);
    }

    /// Adds the messages of another collection.
    pub fn extend(&mut self, other: Sink) {
        for message in other.messages {
            self.push(message);
        }
    }

    /// Whether one of them stops compilation.
    pub fn has_errors(&self) -> bool {
        self.messages.iter().any(|m| m.category.is_error())
    }

    /// The messages so far.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How many there are; with [`Sink::truncate`] a phase can take back what it said while trying.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Drops all messages after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.messages.truncate(len);
    }

    /// Takes all messages out, sorted by place.
    pub fn into_sorted(mut self) -> Vec<Message> {
        self.messages.sort_by_key(|m| (m.primary.span, m.category));
        self.messages
    }
}
