//! Texts that grow as far as there is memory.

use super::{Value, ValueError, array};

/// A text that is being written. What does not fit is remembered and said at the end, so that writers need not stop.
#[derive(Debug, Default)]
pub struct TextBuf {
    text: String,
    /// How long the text would have been when memory ended.
    failed: Option<usize>,
}

impl TextBuf {
    /// An empty text.
    pub fn new() -> TextBuf {
        TextBuf::default()
    }

    /// Writes more.
    pub fn push_str(&mut self, more: &str) {
        if self.failed.is_some() {
            return;
        }
        match self.text.try_reserve(more.len()) {
            Ok(()) => self.text.push_str(more),
            Err(_) => self.failed = Some(self.text.len().saturating_add(more.len())),
        }
    }

    /// Remembers that memory has ended while more was to be written.
    pub fn give_up(&mut self) {
        self.failed.get_or_insert(self.text.len());
    }

    /// Writes one character.
    pub fn push(&mut self, character: char) {
        self.push_str(character.encode_utf8(&mut [0; 4]));
    }

    /// The bytes written so far.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Whether memory has ended, so that writing more is in vain.
    pub fn is_full(&self) -> bool {
        self.failed.is_some()
    }

    /// The text.
    pub fn finish(self) -> Result<String, ValueError> {
        match self.failed {
            None => Ok(self.text),
            Some(bytes) => Err(ValueError::no_text_memory(bytes)),
        }
    }

    /// The text as a value.
    pub fn into_value(self) -> Result<Value, ValueError> {
        value(&self.finish()?)
    }
}

impl<'a> Extend<&'a str> for TextBuf {
    fn extend<I: IntoIterator<Item = &'a str>>(&mut self, parts: I) {
        parts.into_iter().for_each(|part| self.push_str(part));
    }
}

impl Extend<char> for TextBuf {
    fn extend<I: IntoIterator<Item = char>>(&mut self, characters: I) {
        for character in characters {
            self.push(character);
            if self.is_full() {
                return;
            }
        }
    }
}

/// What is short needs no question: its memory is there, or nothing goes on.
const SHORT: usize = 1024;

/// A text as a value.
pub fn value(text: &str) -> Result<Value, ValueError> {
    // What counts references has no way to say that memory has ended, so the question comes before.
    if text.len() > SHORT && array::reserve::<u8>(text.len() + 2 * size_of::<usize>()).is_err() {
        return Err(ValueError::no_text_memory(text.len()));
    }
    Ok(Value::Text(text.into()))
}

/// Characters as a value.
pub fn of_characters(characters: impl IntoIterator<Item = char>) -> Result<Value, ValueError> {
    let mut text = TextBuf::new();
    text.extend(characters);
    text.into_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back() {
        let mut text = TextBuf::new();
        text.push_str("a");
        text.push('\u{e9}');
        text.extend(["b", "c"]);
        assert_eq!((text.len(), text.is_full()), (5, false));
        assert_eq!(text.finish().as_deref(), Ok("a\u{e9}bc"));
        assert_eq!(of_characters("xyz".chars()).unwrap().as_text(), Some("xyz"));
    }

    #[test]
    fn the_end_of_memory_is_an_error_with_the_size() {
        let text = TextBuf { text: "abc".into(), failed: Some(7) };
        let error = text.into_value().unwrap_err();
        assert_eq!(error.text, "not enough memory for a text of 7 bytes");
    }
}
