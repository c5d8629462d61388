//! A text buffer that indents lines.

use super::functions::mentions;

/// Deeper levels are not indented any further.
const INDENT: &str = "                                                                                ";

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
