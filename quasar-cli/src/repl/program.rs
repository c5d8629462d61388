//! The program that is made of what was typed: definitions and variables of earlier entries, then the new one. Messages are about
//! this text; they are shown at what was typed.

use quasar_core::message::{Label, Message};
use quasar_core::source::{FileId, SourceMap, Span};

/// A text with its name in messages.
#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub(super) name: String,
    pub(super) text: String,
}

/// A part of the program.
struct Part {
    start: usize,
    end: usize,
    /// What was typed there, as an index, and where in it; `None` for what nobody typed.
    typed: Option<(usize, usize)>,
}

/// A program in the making.
#[derive(Default)]
pub(super) struct Program {
    pub(super) text: String,
    parts: Vec<Part>,
    typed: Vec<Typed>,
}

impl Program {
    /// Adds text that nobody typed.
    pub(super) fn add(&mut self, text: &str) {
        let start = self.text.len();
        self.text += text;
        self.parts.push(Part { start, end: self.text.len(), typed: None });
    }

    /// Adds a part of what was typed.
    pub(super) fn add_typed(&mut self, typed: &Typed, range: std::ops::Range<usize>) {
        let known = self.typed.iter().position(|known| known.name == typed.name);
        let index = known.unwrap_or_else(|| {
            self.typed.push(typed.clone());
            self.typed.len() - 1
        });
        let start = self.text.len();
        self.text += typed.text.get(range.clone()).unwrap_or_default();
        self.parts.push(Part { start, end: self.text.len(), typed: Some((index, range.start)) });
    }

    /// The files of a compilation of this program, and behind them what was typed.
    pub(super) fn sources(&self, compiled: &SourceMap) -> SourceMap {
        let mut sources = compiled.clone();
        for typed in &self.typed {
            sources.add(&typed.name, &typed.text);
        }
        sources
    }

    /// The part that holds a place, as its number.
    pub(super) fn part(&self, span: Span) -> Option<usize> {
        let start = span.start as usize;
        // At the border of two, it is the later one that begins there.
        (span.file == FileId(0)).then(|| self.parts.iter().rposition(|part| part.start <= start))?
    }

    /// Whether a place is in what was typed under this name.
    pub(super) fn is_in(&self, span: Span, name: &str) -> bool {
        let part = self.part(span).and_then(|part| self.parts.get(part));
        let typed = part.and_then(|part| self.typed.get(part.typed?.0));
        typed.is_some_and(|typed| typed.name == name)
    }

    /// A place of the program in what was typed; `files` is the number of files of the compilation. `None` if nobody typed it.
    pub(super) fn place(&self, span: Span, files: usize) -> Option<Span> {
        if span.file != FileId(0) {
            return Some(span);
        }
        let part = self.parts.get(self.part(span)?)?;
        let (index, offset) = match part.typed {
            Some(typed) => typed,
            // What was put before an expression counts as the expression.
            None => {
                let next = self.parts.iter().find(|next| next.start >= part.end)?;
                let inside = (span.end as usize).saturating_sub(next.start) as u32;
                let (index, offset) = next.typed.filter(|_| span.end as usize > next.start)?;
                return Some(self.span(index, files, offset as u32, offset as u32 + inside));
            }
        };
        let at = |place: u32| (place as usize - part.start + offset) as u32;
        Some(self.span(index, files, at(span.start), at(span.end.min(part.end as u32))))
    }

    fn span(&self, index: usize, files: usize, start: u32, end: u32) -> Span {
        Span { file: FileId((files + index) as u32), start, end }
    }

    /// A message at what was typed; `None` if it is about something that nobody typed.
    pub(super) fn message(&self, message: &Message, files: usize) -> Option<Message> {
        let label =
            |label: &Label| Some(Label { span: self.place(label.span, files)?, text: label.text.clone() });
        let primary = label(&message.primary)?;
        let related = message.related.iter().filter_map(label).collect();
        Some(Message { primary, related, ..message.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_what_was_typed() {
        let typed = Typed { name: "input 1".into(), text: "a = 1\nb".into() };
        let mut program = Program::default();
        program.add("x = load(\"x\")\n");
        program.add_typed(&typed, 0..6);
        program.add("print ");
        program.add_typed(&typed, 6..7);
        let place = |start: usize, end: usize| {
            let span = Span { file: FileId(0), start: start as u32, end: end as u32 };
            program.place(span, 3).map(|span| (span.file.0, span.start, span.end))
        };
        let first = program.text.find("a = 1").unwrap();
        assert_eq!(place(first, first + 1), Some((3, 0, 1)));
        let printed = program.text.find("print").unwrap();
        assert_eq!(place(printed, printed + 7), Some((3, 6, 7)), "the statement made of the expression");
        assert_eq!(place(printed + 6, printed + 7), Some((3, 6, 7)));
        assert_eq!(place(0, 3), None);
    }
}
