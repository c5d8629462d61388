//! Words of the text of a program: parentheses, brackets, strings, and what stands between white space.

use crate::types::{ClassId, ClassType};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// The classes that were read.
    pub(super) classes: BTreeMap<ClassId, Arc<ClassType>>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str) -> Reader<'t> {
        Reader { text, at: 0, classes: BTreeMap::new() }
    }

    pub(super) fn error(&self, what: &str) -> String {
        let read = self.text.get(..self.at).unwrap_or_default();
        format!("line {}: {what}", read.matches('\n').count() + 1)
    }

    fn rest(&mut self) -> &'t str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// The next word, which stays.
    fn peek(&mut self) -> &'t str {
        let rest = self.rest();
        if rest.starts_with(['(', ')', '[', ']']) {
            return &rest[..1];
        }
        let end = rest.find(|c: char| c.is_whitespace() || "()[]".contains(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// Takes the next word if it is this one.
    pub(super) fn skip(&mut self, word: &str) -> bool {
        let found = self.peek() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    pub(super) fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.skip(word) {
            return Ok(());
        }
        let found = match self.peek() {
            "" => "the end".to_string(),
            other => format!("'{other}'"),
        };
        Err(self.error(&format!("expected '{word}', found {found}")))
    }

    pub(super) fn atom(&mut self) -> Result<&'t str, String> {
        let word = self.peek();
        if word.is_empty() || "()[]".contains(word) {
            return Err(self.error("expected a word"));
        }
        self.at += word.len();
        Ok(word)
    }

    pub(super) fn parsed<T: std::str::FromStr>(&mut self) -> Result<T, String> {
        let word = self.atom()?;
        word.parse().map_err(|_| self.error(&format!("'{word}' is no {}", std::any::type_name::<T>())))
    }

    pub(super) fn string(&mut self) -> Result<String, String> {
        let Some(inside) = self.rest().strip_prefix('"') else {
            return Err(self.error("expected a string"));
        };
        let (mut value, mut chars) = (String::new(), inside.char_indices());
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += at + 2;
                    return Ok(value);
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => value.push('\n'),
                    Some((_, 'u')) => {
                        let digits: String =
                            chars.by_ref().map(|(_, c)| c).skip(1).take_while(|c| *c != '}').collect();
                        let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        value.push(code.ok_or_else(|| self.error("expected the number of a character"))?);
                    }
                    Some((_, c)) => value.push(c),
                    None => break,
                },
                c => value.push(c),
            }
        }
        Err(self.error("the string has no end"))
    }

    pub(super) fn end(&mut self) -> Result<(), String> {
        match self.rest() {
            "" => Ok(()),
            _ => Err(self.error("expected the end")),
        }
    }
}
