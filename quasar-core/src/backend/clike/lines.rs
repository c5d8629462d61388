//! A text buffer that indents lines.

use super::functions::mentions;

/// Deeper levels are not indented any further.
const INDENT: &str = "                                                                                ";

/// The start of a directive that names the place of what follows.
const PLACE: &str = "#line ";

/// The directive for a line of a file. A text is behind [`places_repeated`] before it is compiled. Assemblers do not understand quoted
/// quotes, so characters that would need that become others.
pub(super) fn directive(line: u32, file: &str) -> String {
    let plain = |c: char| match c {
        '\\' => '/',
        '"' => '_',
        c if c.is_control() => '_',
        c => c,
    };
    format!("{PLACE}{line} \"{}\"", file.chars().map(plain).collect::<String>())
}

/// Repeats each directive in front of all lines up to the next one: compilers count lines on behind a directive, but all lines
/// of a statement stand for one line of the program.
pub(super) fn places_repeated(text: &str) -> String {
    if !text.contains(PLACE) {
        return text.to_owned();
    }
    let (mut place, mut out) = ("", String::with_capacity(2 * text.len()));
    for line in text.lines() {
        if line.trim_start().starts_with(PLACE) {
            place = line.trim_start();
            continue;
        }
        for part in [place, line].into_iter().filter(|part| !part.is_empty()) {
            out.push_str(part);
            out.push('\n');
        }
    }
    out
}

/// Text under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// An empty buffer at an indentation depth.
    pub(super) fn at(depth: usize) -> Lines {
        Lines { text: String::new(), depth }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether a word stands there as a whole identifier.
    pub(super) fn mentions(&self, word: &str) -> bool {
        mentions(&self.text, word)
    }

    /// Appends a line.
    pub(super) fn push(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&INDENT[..(4 * self.depth).min(INDENT.len())]);
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// Appends a line and indents what follows.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.push(line);
        self.depth += 1;
    }

    /// Appends a line one level out, such as `} else {`.
    pub(super) fn next(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.push(line);
        self.depth += 1;
    }

    /// Ends an indented part with a line.
    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.push(line);
    }

    /// Appends lines that were printed for this depth.
    pub(super) fn append(&mut self, other: &Lines) {
        self.text.push_str(&other.text);
    }

    /// As `append`, for plain text.
    pub(super) fn append_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
