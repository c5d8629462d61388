//! Positions of the protocol, lines and UTF-16 units, and offsets in bytes.

use serde_json::{Value, json};

/// The starts of the lines of a text.
#[derive(Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Lines {
        Lines(std::iter::once(0).chain(text.match_indices('\n').map(|(k, _)| k + 1)).collect())
    }

    /// The offset of a position; a position behind the end of its line is that end.
    pub(crate) fn offset(&self, text: &str, position: &Value) -> Option<u32> {
        let line = usize::try_from(position.get("line")?.as_u64()?).ok()?;
        let character = position.get("character")?.as_u64()?;
        let Some(&start) = self.0.get(line) else { return Some(text.len() as u32) };
        let rest = text.get(start..).unwrap_or_default();
        let mut units = 0;
        let mut offset = start;
        for c in rest.chars() {
            if units >= character || c == '\n' || (c == '\r' && rest[offset - start..].starts_with("\r\n")) {
                break;
            }
            units += c.len_utf16() as u64;
            offset += c.len_utf8();
        }
        Some(offset as u32)
    }

    /// Line and UTF-16 units of an offset.
    pub(crate) fn line_units(&self, text: &str, offset: u32) -> (usize, usize) {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.0.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.0.get(line).copied().unwrap_or(0);
        (line, text.get(start..offset).unwrap_or_default().encode_utf16().count())
    }

    pub(crate) fn position(&self, text: &str, offset: u32) -> Value {
        let (line, character) = self.line_units(text, offset);
        json!({"line": line, "character": character})
    }

    pub(crate) fn range(&self, text: &str, start: u32, end: u32) -> Value {
        json!({"start": self.position(text, start), "end": self.position(text, end)})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units() {
        let text = "a = \"\u{1F600}β\"\r\nb\n";
        let lines = Lines::of(text);
        for (offset, _) in text.char_indices().filter(|(_, c)| *c != '\n') {
            let position = lines.position(text, offset as u32);
            assert_eq!(lines.offset(text, &position), Some(offset as u32), "{position}");
        }
        assert_eq!(lines.line_units(text, 9), (0, 7), "behind the pair of surrogates");
        let far = json!({"line": 0, "character": 99});
        assert_eq!(lines.offset(text, &far), Some(text.find('\r').unwrap() as u32));
        assert_eq!(lines.offset(text, &json!({"line": 9, "character": 0})), Some(text.len() as u32));
        assert_eq!(lines.offset(text, &json!({"line": -1})), None);
    }
}
