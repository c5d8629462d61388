//! Lines of text with their indentation.

/// Deeper parts are not indented further.
const INDENT: &str = "                                                                                ";

/// Lines under construction.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    text: String,
    depth: usize,
}

impl Lines {
    /// Lines that will stand at a depth.
    pub(super) fn at(depth: usize) -> Lines {
        Lines { text: String::new(), depth }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A line.
    pub(super) fn push(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&INDENT[..(4 * self.depth).min(INDENT.len())]);
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    /// A line before a deeper part.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.push(line);
        self.depth += 1;
    }

    /// A line between two deeper parts.
    pub(super) fn next(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.push(line);
        self.depth += 1;
    }

    /// A line after a deeper part.
    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.push(line);
    }

    /// Lines that were made for this depth.
    pub(super) fn append(&mut self, other: &Lines) {
        self.text.push_str(&other.text);
    }

    /// The same for a text.
    pub(super) fn append_text(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }
}
