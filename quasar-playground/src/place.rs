//! Places of messages and tokens as scripts count them: in units of UTF-16.

use quasar_core::message::render::{Style, snippet};
use quasar_core::message::{Category, Message};
use quasar_core::source::{FileId, SourceMap, Span};
use serde_json::{Value, json};

/// Counts through a text from front to back.
pub(crate) struct Counter<'a> {
    text: &'a str,
    bytes: usize,
    units: usize,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(text: &'a str) -> Counter<'a> {
        Counter { text, bytes: 0, units: 0 }
    }

    /// The units in front of a byte. Bytes in order cost one walk together.
    pub(crate) fn units(&mut self, byte: u32) -> usize {
        let mut byte = (byte as usize).min(self.text.len());
        while !self.text.is_char_boundary(byte) {
            byte -= 1;
        }
        if byte < self.bytes {
            (self.bytes, self.units) = (0, 0);
        }
        let between = self.text.get(self.bytes..byte).unwrap_or_default();
        self.units += between.encode_utf16().count();
        self.bytes = byte;
        self.units
    }
}

/// A message for the page: what it says, its excerpt, and its place, if that is in the program and no module.
pub(crate) fn message(message: &Message, sources: &SourceMap) -> Value {
    let span = message.primary.span;
    let (line, column) = sources.line_column(span.file, span.start);
    let kind = match message.category {
        Category::Error | Category::Limitation | Category::Bug => "error",
        Category::Warning => "warning",
        _ => "hint",
    };
    let mut said = json!({
        "kind": kind,
        "code": message.code.0,
        "text": message.text,
        "line": line,
        "column": column,
        "excerpt": snippet(message, sources, Style::Plain),
    });
    if let (FileId(0), Value::Object(said)) = (span.file, &mut said) {
        let mut counter = Counter::new(&sources.file(span.file).text);
        let (start, end) = (counter.units(span.start), counter.units(marked(message, sources, span).end));
        said.insert("start".into(), start.into());
        said.insert("length".into(), (end - start).into());
    }
    said
}

/// What is marked of a span: of several lines only the first.
fn marked(message: &Message, sources: &SourceMap, span: Span) -> Span {
    let text = sources.file(span.file).text.get(span.start as usize..span.end as usize);
    match text.unwrap_or_default().find('\n') {
        Some(line) if !message.category.is_error() => Span { end: span.start + line as u32, ..span },
        _ => span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_scripts() {
        let mut counter = Counter::new("aä€𝄞b");
        let found: Vec<usize> = [0, 1, 3, 6, 10, 11, 99, 1].iter().map(|&byte| counter.units(byte)).collect();
        assert_eq!(found, [0, 1, 2, 3, 5, 6, 6, 1]);
        // Inside of a character: in front of it.
        assert_eq!(counter.units(8), 3);
    }
}
