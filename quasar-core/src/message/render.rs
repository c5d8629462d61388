//! Messages as text with source excerpts.

use super::Message;
use crate::source::SourceMap;

/// `Category: file - line n: text`, the one-line form.
pub fn line(message: &Message, sources: &SourceMap) -> String {
    let span = message.primary.span;
    let (line, _) = sources.line_column(span.file, span.start);
    format!("{:?}: {} - line {line}: {}", message.category, sources.file(span.file).name, message.text)
}
