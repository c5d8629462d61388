//! Renders messages as text with source excerpts (language reference §10.6).

use super::{Category, Label, Message};
use crate::source::{SourceMap, Span};

/// Whether excerpts contain ANSI colour codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// With colour codes for terminals.
    Coloured,
}

/// The tab width in an excerpt, in columns.
const TAB: usize = 4;
/// Excerpts wider than this are cut around the span.
const WIDTH: usize = 160;

impl Category {
    /// The word that begins a message.
    pub fn heading(self) -> &'static str {
        match self {
            Category::Error => "Error",
            Category::Limitation => "Error",
            Category::Bug => "Internal error",
            Category::Warning => "Warning",
            Category::PerformanceWarning => "[Performance warning]",
            Category::Optimization => "Optimization",
            Category::Reduction => "Reduction",
            Category::Information => "Information",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Category::Error | Category::Limitation | Category::Bug => "\x1b[1;31m",
            Category::Warning | Category::PerformanceWarning => "\x1b[1;33m",
            Category::Optimization => "\x1b[1;32m",
            Category::Reduction | Category::Information => "\x1b[1;36m",
        }
    }
}

/// `Category: file - line n: text`, the one-line form.
pub fn line(message: &Message, sources: &SourceMap) -> String {
    let span = message.primary.span;
    let (line, _) = sources.line_column(span.file, span.start);
    let heading = message.category.heading();
    let heading = if heading.ends_with(']') { heading.to_string() } else { format!("{heading}:") };
    let dash = if message.category == Category::Reduction { "" } else { " -" };
    format!("{heading} {}{dash} line {line}: {}", sources.file(span.file).name, message.text)
}

/// The one-line form followed by excerpt, related locations and help. Ends with a newline.
pub fn snippet(message: &Message, sources: &SourceMap, style: Style) -> String {
    Renderer { sources, style, gutter: gutter(message, sources) }.message(message)
}

/// All messages, separated by empty lines.
pub fn snippets(messages: &[Message], sources: &SourceMap, style: Style) -> String {
    messages.iter().map(|m| snippet(m, sources, style)).collect::<Vec<_>>().join("\n")
}

/// The number of digits of the largest line number.
fn gutter(message: &Message, sources: &SourceMap) -> usize {
    let places = std::iter::once(&message.primary).chain(&message.related);
    let lines = places.map(|l| sources.line_column(l.span.file, l.span.start).0);
    lines.max().unwrap_or(1).to_string().len()
}

struct Renderer<'a> {
    sources: &'a SourceMap,
    style: Style,
    gutter: usize,
}

impl Renderer<'_> {
    fn message(&self, message: &Message) -> String {
        let head = line(message, self.sources);
        let heading = message.category.heading().len();
        let colour = message.category.colour();
        let mut out = self.paint(colour, &head[..heading]) + &head[heading..];
        // Errors of a run have no code.
        out += &match message.code.0 {
            "" => "\n".to_owned(),
            code => format!(" [{code}]\n"),
        };
        let places =
            std::iter::once((&message.primary, colour)).chain(message.related.iter().map(|l| (l, BLUE)));
        let mut last = None;
        for (label, colour) in places {
            out += &self.place(label, colour, last);
            last = Some(label.span.file);
        }
        for help in &message.help {
            out += &format!("{} {} help: {help}\n", " ".repeat(self.gutter), self.paint(BLUE, "="));
        }
        out
    }

    fn paint(&self, colour: &str, text: &str) -> String {
        match self.style {
            Style::Plain => text.to_string(),
            Style::Coloured => format!("{colour}{text}\x1b[0m"),
        }
    }

    /// `--> file:line:column` (omitted for a related location in the same file) and the marked line.
    fn place(&self, label: &Label, colour: &str, last: Option<crate::source::FileId>) -> String {
        let file = self.sources.file(label.span.file);
        let (line, column) = self.sources.line_column(label.span.file, label.span.start);
        let blank = " ".repeat(self.gutter);
        let bar = self.paint(BLUE, "|");
        let mut out = String::new();
        if last == Some(label.span.file) {
            out += &format!("{blank} {}\n", self.paint(BLUE, ":"));
        } else {
            out +=
                &format!("{blank}{} {}:{line}:{column}\n{blank} {bar}\n", self.paint(BLUE, "-->"), file.name);
        }
        let excerpt = excerpt(&file.text, label.span);
        let number = self.paint(BLUE, &format!("{line:>width$}", width = self.gutter));
        out += &format!("{number} {bar} {}\n", excerpt.text);
        let marks = "^".repeat(excerpt.width);
        let marked = if label.text.is_empty() { marks } else { format!("{marks} {}", label.text) };
        out + &format!("{blank} {bar} {}{}\n", " ".repeat(excerpt.indent), self.paint(colour, &marked))
    }
}

const BLUE: &str = "\x1b[1;34m";

/// A source line as shown, and the position of the marks below it.
struct Excerpt {
    text: String,
    indent: usize,
    width: usize,
}

fn excerpt(text: &str, span: Span) -> Excerpt {
    let floor = |mut offset: usize| {
        offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, end) = (floor(span.start as usize), floor(span.end as usize));
    let line_start = text[..start].rfind('\n').map_or(0, |k| k + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |k| start + k);
    let line = text[line_start..line_end].trim_end();
    let line_end = line_start + line.len();
    let (start, end) = (start.min(line_end), end.clamp(start.min(line_end), line_end));
    let shown = show(&text[line_start..line_end], 0);
    let indent = width(&show(&text[line_start..start], 0));
    let marked = width(&show(&text[line_start..end], 0)) - indent;
    cut(Excerpt { text: shown, indent, width: marked.max(1) })
}

/// Expands tabs to the next stop, and shows other control characters as `?`.
fn show(text: &str, column: usize) -> String {
    let mut shown = String::new();
    let mut at = column;
    for c in text.chars() {
        if c == '\t' {
            let blanks = TAB - at % TAB;
            shown.extend(std::iter::repeat_n(' ', blanks));
            at += blanks;
        } else {
            let c = if c.is_control() { '?' } else { c };
            shown.push(c);
            at += char_width(c);
        }
    }
    shown
}

/// Keeps a window around the marks of a very long line.
fn cut(excerpt: Excerpt) -> Excerpt {
    if width(&excerpt.text) <= WIDTH {
        return excerpt;
    }
    let from = excerpt.indent.saturating_sub(WIDTH / 2);
    let mut at = 0;
    let mut text = String::new();
    let mut skipped = 0;
    for c in excerpt.text.chars() {
        if at < from {
            skipped = at + char_width(c);
        } else if at < from + WIDTH {
            text.push(c);
        }
        at += char_width(c);
    }
    let dots = if from > 0 { "..." } else { "" };
    let more = if at > from + WIDTH { "..." } else { "" };
    let indent = excerpt.indent - skipped + dots.len();
    let room = WIDTH.saturating_sub(excerpt.indent - skipped).max(1);
    Excerpt { text: format!("{dots}{text}{more}"), indent, width: excerpt.width.min(room) }
}

fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

/// The width of a character in a terminal: two columns for East Asian wide forms and emoji, none for combining marks.
fn char_width(c: char) -> usize {
    match c as u32 {
        0x0300..=0x036F | 0x200B..=0x200F | 0x20D0..=0x20FF | 0xFE00..=0xFE0F => 0,
        0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF => 2,
        0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6 | 0x1F300..=0x1FAFF | 0x20000..=0x3FFFD => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, part: &str) -> (SourceMap, Span) {
        let mut sources = SourceMap::default();
        let file = sources.add("f.q", text);
        let start = text.find(part).unwrap() as u32;
        (sources, Span { file, start, end: start + part.len() as u32 })
    }

    #[test]
    fn an_excerpt_with_labels_related_places_and_help() {
        let (sources, span) = at("for i = 0..9\n    x = y z\nendfunction\n", "z");
        let open = Span { start: 0, end: 3, ..span };
        let message =
            Message::error("Q0111", span, "expected the end").labelled("here").related(open, "in this loop");
        let shown = snippet(&message.help("remove it"), &sources, Style::Plain);
        let expected = "\
Error: f.q - line 2: expected the end [Q0111]
 --> f.q:2:11
  |
2 |     x = y z
  |           ^ here
  :
1 | for i = 0..9
  | ^^^ in this loop
  = help: remove it
";
        assert_eq!(shown, expected);
    }

    #[test]
    fn tabs_and_wide_characters_keep_marks_under_the_place() {
        let (sources, span) = at("\tx = \"日本\" + bad\n", "bad");
        let shown = snippet(&Message::error("Q0110", span, "e"), &sources, Style::Plain);
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[3], "1 |     x = \"日本\" + bad");
        assert_eq!(lines[4], "  |                  ^^^");
    }

    #[test]
    fn places_at_the_end_of_text_and_over_several_lines() {
        let (sources, span) = at("a = (\nb\n", "(\nb");
        assert!(
            snippet(&Message::error("Q0110", span, "e"), &sources, Style::Plain)
                .contains("1 | a = (\n  |     ^\n")
        );
        let end = Span { start: 8, end: 8, ..span };
        assert!(
            snippet(&Message::error("Q0110", end, "e"), &sources, Style::Plain).contains("3 | \n  | ^\n")
        );
        let beyond = Span { start: 800, end: 900, ..span };
        assert!(snippet(&Message::error("Q0110", beyond, "e"), &sources, Style::Plain).contains("  | ^\n"));
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{} bad {}", "x + ".repeat(100), "y + ".repeat(100));
        let (sources, span) = at(&text, "bad");
        let shown = snippet(&Message::error("Q0110", span, "e"), &sources, Style::Plain);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[3].len() < 180 && lines[3].ends_with("..."), "{}", lines[3]);
        assert_eq!(lines[3].find("bad"), lines[4].find("^^^"));
    }

    #[test]
    fn colours_only_on_request() {
        let (sources, span) = at("bad", "bad");
        let message = Message::warning("Q0138", span, "w");
        assert!(!snippet(&message, &sources, Style::Plain).contains('\x1b'));
        let coloured = snippet(&message, &sources, Style::Coloured);
        assert!(coloured.starts_with("\x1b[1;33mWarning\x1b[0m: f.q - line 1: w"), "{coloured:?}");
    }

    #[test]
    fn headings_of_the_language_reference() {
        let (sources, span) = at("bad", "bad");
        let head = |category| line(&Message::new(super::super::Code("Q0001"), category, span, "t"), &sources);
        assert_eq!(head(Category::Optimization), "Optimization: f.q - line 1: t");
        assert_eq!(head(Category::PerformanceWarning), "[Performance warning] f.q - line 1: t");
        assert_eq!(head(Category::Limitation), "Error: f.q - line 1: t");
    }
}
