//! The comment lines in front of a function, as documentation of what Rust code calls.

use crate::source::{SourceMap, Span};

/// The documentation of an exported function: the comment lines directly above its header, and its signature.
pub(super) fn documentation(sources: &SourceMap, header: Span, signature: &str) -> String {
    let text = &sources.file(header.file).text;
    let before = text.get(..header.start as usize).unwrap_or_default();
    let comments = above(before);
    if comments.is_empty() { signature.to_owned() } else { format!("{comments}\n\n{signature}") }
}

/// The comment lines at the end of a text, up to the first other line. Rust files also have comments with `//`.
fn above(before: &str) -> String {
    let mut lines = before.rsplit('\n');
    // The line of the header itself.
    if lines.next().is_none_or(|own| !own.trim().is_empty()) {
        return String::new();
    }
    let comment = |line: &str| {
        let line = line.trim();
        let words = line.strip_prefix('%').or_else(|| line.strip_prefix("//"))?;
        Some(plain(words.trim_start_matches(['%', '/', '!']).trim()))
    };
    let mut comments: Vec<String> = lines.map_while(comment).collect();
    comments.reverse();
    comments.join("\n").trim_matches('\n').to_owned()
}

/// A line that Markdown shows as it is: no rulers, no links by accident, no code that rustdoc would compile.
fn plain(line: &str) -> String {
    if !line.chars().any(char::is_alphanumeric) || line.starts_with("```") {
        return String::new();
    }
    if line.contains('`') {
        return line.to_owned();
    }
    let escaped = |c: char| matches!(c, '[' | ']' | '<' | '>' | '*' | '_' | '#' | '|' | '\\');
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        shown.extend(escaped(c).then_some('\\'));
        shown.push(c);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::above;

    #[test]
    fn lines_directly_above_are_taken_in_order() {
        assert_eq!(above("x = 1\n% Blurs.\n%\n% Sigma is in pixels.\n"), "Blurs.\n\nSigma is in pixels.");
        assert_eq!(above("% Other.\n\n% Mine.\r\n"), "Mine.");
        assert_eq!(above("// One\n  /// Two\n    "), "One\nTwo");
        assert_eq!(above("% A\n{!attribute}\n"), "");
        assert_eq!(above("% A\nx = 1; "), "");
        assert_eq!(above(""), "");
    }

    #[test]
    fn markdown_is_taken_literally_outside_of_backticks() {
        assert_eq!(
            above("%%%%%%%%\n% Gives x[0] <y>\n% ====\n% `a[1]` too\n"),
            "Gives x\\[0\\] \\<y\\>\n\n`a[1]` too"
        );
        assert_eq!(above("%     indented\n% ```\n% ä\n"), "indented\n\nä");
    }
}
