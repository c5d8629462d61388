//! Programs as text that says everything and can be read back, for tests of passes. `print` is the form for people: it leaves
//! out what they see anyway (types of expressions, places in the source, attributes).
//!
//! A node is a list of its name and its fields, `(Break levels 0)`; an expression has its type and its place behind it,
//! `(Local %2) : (Scalar Int32 Checked) @0:14..15`. What a node consists of stands once, in `nodes.rs`: both directions
//! follow from it, and a kind that is not listed does not compile.
//!
//! What a program evaluates texts with ([`Program::texts`]) has no text.

mod nodes;
mod reader;

use super::Program;
use crate::ids::{Arena, Id};
use quasar_devicelib::ops::{self, Row};
use reader::Reader;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

/// The whole program.
pub fn write(program: &Program) -> String {
    let mut writer = Writer::default();
    program.write(&mut writer);
    writer.out.push('\n');
    writer.out
}

/// The program of a text; the error says what was expected, and in which line.
pub fn read(text: &str) -> Result<Program, String> {
    let mut reader = Reader::new(text);
    let program = Program::read(&mut reader)?;
    reader.end()?;
    Ok(program)
}

/// What has a text.
trait Text: Sized {
    /// Whether items of lists stand in lines of their own.
    const IN_LINES: bool = false;
    fn write(&self, to: &mut Writer);
    fn read(from: &mut Reader<'_>) -> Result<Self, String>;
}

#[derive(Default)]
struct Writer {
    out: String,
    depth: usize,
}

impl Writer {
    fn word(&mut self, word: &str) {
        if !self.out.is_empty() && !self.out.ends_with(['(', '[', ' ']) {
            self.out.push(' ');
        }
        self.out.push_str(word);
    }

    fn open(&mut self, name: &str) {
        self.word("(");
        self.word(name);
    }

    fn close(&mut self) {
        self.out.push(')');
    }

    fn line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn list<'t, T: Text + 't>(&mut self, items: impl Iterator<Item = &'t T>) {
        self.word("[");
        self.depth += 1;
        for item in items {
            if T::IN_LINES {
                self.line();
            }
            item.write(self);
        }
        self.depth -= 1;
        self.out.push(']');
    }
}

macro_rules! integers {
    ($($ty:ty)*) => { $(
        impl Text for $ty {
            fn write(&self, to: &mut Writer) {
                to.word(&self.to_string());
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                from.parsed()
            }
        }
    )* };
}
integers!(bool i8 i16 i32 i64 u8 u16 u32 u64 usize);

impl Text for String {
    fn write(&self, to: &mut Writer) {
        let mut quoted = String::from("\"");
        for c in self.chars() {
            match c {
                '"' | '\\' => quoted.extend(['\\', c]),
                '\n' => quoted.push_str("\\n"),
                c if c.is_control() => {
                    let _ = write!(quoted, "\\u{{{:x}}}", u32::from(c));
                }
                c => quoted.push(c),
            }
        }
        to.word(&(quoted + "\""));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        from.string()
    }
}

/// Names of library functions that texts had. There are few, and they live as long as the process.
static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

impl Text for &'static str {
    fn write(&self, to: &mut Writer) {
        (*self).to_string().write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let name = from.string()?;
        let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = names.get(name.as_str()) {
            return Ok(known);
        }
        let kept: &'static str = Box::leak(name.into_boxed_str());
        names.insert(kept);
        Ok(kept)
    }
}

impl Text for &'static Row {
    fn write(&self, to: &mut Writer) {
        to.word(self.name);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let name = from.atom()?;
        ops::find(name).ok_or_else(|| from.error(&format!("there is no scalar function {name}")))
    }
}

impl<T> Text for Id<T> {
    fn write(&self, to: &mut Writer) {
        to.word(&format!("%{}", self.index()));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let number = from.atom()?.strip_prefix('%').and_then(|number| number.parse::<u32>().ok());
        number.map(|number| Id::new(number as usize)).ok_or_else(|| from.error("expected an id, as in %3"))
    }
}

impl<T: Text> Text for Option<T> {
    fn write(&self, to: &mut Writer) {
        match self {
            Some(value) => value.write(to),
            None => to.word("-"),
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        if from.skip("-") { Ok(None) } else { T::read(from).map(Some) }
    }
}

impl<T: Text> Text for Vec<T> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let mut items = Vec::new();
        from.expect("[")?;
        while !from.skip("]") {
            items.push(T::read(from)?);
        }
        Ok(items)
    }
}

impl<T: Text> Text for Arena<T> {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter().map(|(_, item)| item));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let mut arena = Arena::new();
        for item in Vec::read(from)? {
            arena.push(item);
        }
        Ok(arena)
    }
}

impl<K: Text + Ord, V: Text> Text for BTreeMap<K, V> {
    fn write(&self, to: &mut Writer) {
        to.word("[");
        for (key, value) in self {
            key.write(to);
            value.write(to);
        }
        to.out.push(']');
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        let mut map = BTreeMap::new();
        from.expect("[")?;
        while !from.skip("]") {
            map.insert(K::read(from)?, V::read(from)?);
        }
        Ok(map)
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => { $(
        impl<T: Text> Text for $pointer<T> {
            fn write(&self, to: &mut Writer) {
                T::write(self, to);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                T::read(from).map($pointer::new)
            }
        }
    )* };
}
pointers!(Box Arc);

macro_rules! tuples {
    ($($($name:ident)*;)*) => { $(
        impl<$($name: Text),*> Text for ($($name,)*) {
            #[allow(non_snake_case, reason = "a value for each type")]
            fn write(&self, to: &mut Writer) {
                let ($($name,)*) = self;
                to.word("(");
                $($name.write(to);)*
                to.close();
            }
            #[allow(non_snake_case, reason = "a value for each type")]
            fn read(from: &mut Reader<'_>) -> Result<Self, String> {
                from.expect("(")?;
                $(let $name = $name::read(from)?;)*
                from.expect(")")?;
                Ok(($($name,)*))
            }
        }
    )* };
}
tuples! { A B; A B C; }

impl<T: Text> Text for [T; 2] {
    fn write(&self, to: &mut Writer) {
        to.list(self.iter());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, String> {
        from.expect("[")?;
        let both = [T::read(from)?, T::read(from)?];
        from.expect("]")?;
        Ok(both)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_mistakes_are_errors_with_a_line() {
        let start = "(Program classes [] fields []\ninitializer - main - enums [] (FunctionValues made [] texts [])\n";
        for (text, said) in [
            ("", "line 1: expected '(', found the end"),
            ("(Program globals []", "line 1: expected 'classes', found 'globals'"),
            ("globals [(Global nam", "line 3: expected 'name', found 'nam'"),
            ("globals [(Global name \"x\" ty (Scalar Int Checked)", "line 3: 'Int' is no ElementType"),
            ("globals [(Global name \"x", "line 3: the string has no end"),
            ("globals [] functions [(Function name \"f\" source_name -", "line 3: expected a string"),
            (
                "globals [(Global name \"x\" ty (Array (ArrayType element (Unit) rank (Known 300",
                "line 3: '300' is no u8",
            ),
        ] {
            let whole = if text.starts_with("globals") { start.to_string() + text } else { text.to_string() };
            assert_eq!(read(&whole).map(drop), Err(said.to_string()), "{text}");
        }
        assert!(read(&(write(&Program::default()) + ")")).is_err(), "something is behind the program");
    }

    #[test]
    fn the_empty_program_and_strings_come_back() {
        let text = write(&Program::default());
        assert_eq!(write(&read(&text).expect("a program")), text);
        let mut writer = Writer::default();
        "a\"b\\c\n\u{1}ü)".to_string().write(&mut writer);
        assert_eq!(Reader::new(&writer.out).string().as_deref(), Ok("a\"b\\c\n\u{1}ü)"));
    }
}
