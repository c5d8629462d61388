//! The template engine for the files in `device/`, whose functions are written once for all their types.
//!
//! A file is a list of definitions (functions and types), separated by blank lines. A line that starts with `//:` lists
//! the instantiations of the definitions after it, up to the next such line:
//!
//! ```text
//! //: [cuda|opencl] [shared] TYPES [from TYPES] [each NAMES]
//! ```
//!
//! Types are suffixes (`i8`, `f32`, ..) or groups of them (`signed`, `unsigned`, `int`, `float` for f32 and f64,
//! `complex`, `all`); without any, a definition is instantiated once. `from` lists second types, `each` names, and
//! every combination is an instance. `shared` instantiates it for global and for shared memory. `cuda` and `opencl`
//! restrict it to that dialect. Several such lines in a row apply to the same text. Variables in the text start with
//! `$`:
//!
//! | variable | value |
//! |---|---|
//! | `T`, `t` | the type (`q_f32`) and its suffix (`f32`) |
//! | `S`, `s` | the second type and its suffix |
//! | `R`, `r` | the component type of a complex `T`, or `T` itself |
//! | `v` | the suffix of the component type of `S` |
//! | `C` | the complex type with components `T` |
//! | `U`, `u` | the unsigned type with the bits of `T` |
//! | `X` | the unsigned type in which `T` is computed with: at least 32 bits |
//! | `n` | the name |
//! | `A`, `a` | the address space of pointers, and its suffix of names |
//! | `m` | the suffix of the device's math functions for `T`: `f` for singles in CUDA |
//! | `e` | the suffix of constants of type `S`: `f` for singles |
//! | `BITS`, `LOW`, `HIGH`, `BEYOND` | of an integer type `T`: its bits, limits, and the first float above it |
//!
//! Comment lines are removed from the output.

use super::Dialect;
use crate::element::ElementType;

/// The suffix of function names for a type.
pub fn suffix(ty: ElementType) -> &'static str {
    const SUFFIXES: [&str; 13] =
        ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "c32", "c64"];
    SUFFIXES[ty as usize]
}

/// An instance of a template, not yet expanded.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    template: &'static str,
    choice: Choice,
}

/// The values of a template's variables.
#[derive(Clone, Copy, Debug)]
struct Choice {
    dialect: Dialect,
    ty: Option<ElementType>,
    second: Option<ElementType>,
    name: &'static str,
    shared: bool,
}

/// A parsed `//:` line.
#[derive(Debug, Default)]
struct Header {
    only: Option<Dialect>,
    shared: bool,
    types: Vec<ElementType>,
    second: Vec<ElementType>,
    names: Vec<&'static str>,
}

/// All instances of a file for a dialect, by name.
pub(super) fn definitions(file: &'static str, dialect: Dialect) -> Vec<(String, Definition)> {
    let mut found = Vec::new();
    let mut headers: Vec<Header> = Vec::new();
    for paragraph in file.split("\n\n") {
        let mut text = paragraph.trim_start();
        if text.starts_with("//:") {
            headers.clear();
        }
        while let Some(rest) = text.strip_prefix("//:") {
            let (line, rest) = rest.split_once('\n').unwrap_or((rest, ""));
            headers.push(Header::parse(line));
            text = rest;
        }
        let Some(name) = defined_name(text) else { continue };
        for choice in headers.iter().flat_map(|header| header.choices(dialect)) {
            found.push((choice.write(name), Definition { template: text, choice }));
        }
    }
    found
}

/// The name that a definition defines, with its variables: that before the first parenthesis of a function, or else the
/// last name.
fn defined_name(text: &'static str) -> Option<&'static str> {
    let is_part = |c: char| matches!(c, '_' | '$') || c.is_ascii_alphanumeric();
    let code = text.find("Q_FN").or_else(|| text.find("typedef")).map(|start| &text[start..])?;
    let end = if code.starts_with("Q_FN") { code.find('(')? } else { code.rfind(';')? };
    let start = code[..end].rfind(|c| !is_part(c))? + 1;
    Some(&code[start..end])
}

/// Removes comment lines.
pub(super) fn without_comments(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

impl Header {
    fn parse(line: &'static str) -> Header {
        #[derive(PartialEq)]
        enum Part {
            Types,
            Second,
            Names,
        }
        let (mut header, mut part) = (Header::default(), Part::Types);
        for word in line.split_whitespace() {
            match (word, &part) {
                ("cuda", Part::Types) => header.only = Some(Dialect::Cuda),
                ("opencl", Part::Types) => header.only = Some(Dialect::OpenCl),
                ("shared", Part::Types) => header.shared = true,
                ("from", Part::Types) => part = Part::Second,
                ("each", Part::Types | Part::Second) => part = Part::Names,
                (_, Part::Types) => header.types.extend(group(word)),
                (_, Part::Second) => header.second.extend(group(word)),
                (_, Part::Names) => header.names.push(word),
            }
        }
        header
    }

    fn choices(&self, dialect: Dialect) -> Vec<Choice> {
        fn or_none(types: &[ElementType]) -> Vec<Option<ElementType>> {
            if types.is_empty() { vec![None] } else { types.iter().copied().map(Some).collect() }
        }
        let names = if self.names.is_empty() { &[""][..] } else { &self.names };
        let spaces = if self.shared { &[false, true][..] } else { &[false] };
        let mut choices = Vec::new();
        if self.only.is_some_and(|only| only != dialect) {
            return choices;
        }
        for ty in or_none(&self.types) {
            for second in or_none(&self.second) {
                for name in names {
                    choices.extend(spaces.iter().map(|&shared| Choice { dialect, ty, second, name, shared }));
                }
            }
        }
        choices
    }
}

/// The types of a suffix or group.
fn group(word: &str) -> Vec<ElementType> {
    let belongs = |ty: ElementType| match word {
        "signed" => ty.is_integer() && ty.is_signed(),
        "unsigned" => ty.is_integer() && !ty.is_signed(),
        "int" => ty.is_integer(),
        "float" => matches!(ty, ElementType::Single | ElementType::Double),
        "complex" => ty.is_complex(),
        "all" => true,
        _ => suffix(ty) == word,
    };
    ElementType::ALL.iter().copied().filter(|&ty| belongs(ty)).collect()
}

impl Definition {
    /// The expanded text without comment lines.
    pub(super) fn text(&self) -> String {
        without_comments(&self.choice.write(self.template))
    }
}

/// The suffix of the unsigned type with this many bits.
fn unsigned(bits: u32) -> &'static str {
    match bits {
        8 => "u8",
        16 => "u16",
        32 => "u32",
        _ => "u64",
    }
}

impl Choice {
    /// Expands a template; unknown variables stay.
    fn write(&self, template: &str) -> String {
        let mut pieces = template.split('$');
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(piece.len());
            let (variable, rest) = piece.split_at(end);
            match self.value(variable) {
                Some(value) => out.push_str(&value),
                None => out.extend(["$", variable]),
            }
            out.push_str(rest);
        }
        out
    }

    fn value(&self, variable: &str) -> Option<String> {
        Some(match variable {
            "n" => self.name.to_owned(),
            "a" => if self.shared { "_shared" } else { "" }.to_owned(),
            "A" => if self.shared { "Q_SHARED" } else { "Q_GLOBAL" }.to_owned(),
            "S" => format!("q_{}", suffix(self.second?)),
            "s" => suffix(self.second?).to_owned(),
            "v" => suffix(self.second?.real()).to_owned(),
            "e" => if self.second? == ElementType::Double { "" } else { "f" }.to_owned(),
            _ => self.value_of_type(variable, self.ty?)?,
        })
    }

    fn value_of_type(&self, variable: &str, ty: ElementType) -> Option<String> {
        let (bits, signed) = (ty.bits(), ty.is_signed());
        let single = matches!(ty.real(), ElementType::Single) && self.dialect == Dialect::Cuda;
        Some(match variable {
            "T" => format!("q_{}", suffix(ty)),
            "t" => suffix(ty).to_owned(),
            "R" => format!("q_{}", suffix(ty.real())),
            "r" => suffix(ty.real()).to_owned(),
            "C" => format!("q_{}", suffix(ty.complex())),
            "U" => format!("q_{}", unsigned(bits)),
            "u" => unsigned(bits).to_owned(),
            "X" => format!("q_{}", unsigned(bits.max(32))),
            "m" => if single { "f" } else { "" }.to_owned(),
            "BITS" => bits.to_string(),
            "HIGH" => format!("{:#x}", u64::MAX >> (64 - bits + u32::from(signed))),
            "LOW" if signed => format!("(-{} - 1)", i64::MAX >> (64 - bits)),
            "LOW" => "0".to_owned(),
            "BEYOND" => format!("{}.0", 1_u128 << (bits - u32::from(signed))),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "// A file.\n\n//: cuda float\n//: opencl i32 from u8 each min max\n// Text.\nQ_FN $T q_$n_$t($S x) {\n    return $n$m(x);\n}\n\n//: shared u8\nQ_FN $T q_f$a_$t($A $T *p) { return $HIGH; }\n\n//:\ntypedef struct q_a { int b; } q_a;\n";

    fn made(dialect: Dialect) -> Vec<(String, String)> {
        definitions(FILE, dialect).into_iter().map(|(name, d)| (name, d.text().replace('\n', ""))).collect()
    }

    #[test]
    fn definitions_are_made_for_every_combination() {
        let shared = [
            ("q_f_u8", "Q_FN q_u8 q_f_u8(Q_GLOBAL q_u8 *p) { return 0xff; }"),
            ("q_f_shared_u8", "Q_FN q_u8 q_f_shared_u8(Q_SHARED q_u8 *p) { return 0xff; }"),
            ("q_a", "typedef struct q_a { int b; } q_a;"),
        ];
        let opencl = [
            ("q_min_i32", "Q_FN q_i32 q_min_i32(q_u8 x) {    return min(x);}"),
            ("q_max_i32", "Q_FN q_i32 q_max_i32(q_u8 x) {    return max(x);}"),
        ];
        let want = opencl.iter().chain(&shared).map(|(a, b)| (a.to_string(), b.to_string()));
        assert_eq!(made(Dialect::OpenCl), want.collect::<Vec<_>>());
        let cuda = made(Dialect::Cuda);
        assert_eq!(cuda[0].1, "Q_FN q_f32 q__f32($S x) {    return f(x);}");
        assert_eq!(cuda[1].0, "q__f64");
        assert_eq!(cuda.len(), 5);
    }

    #[test]
    fn limits_of_integers_are_exact() {
        let write = |ty| {
            let choice =
                Choice { dialect: Dialect::Cuda, ty: Some(ty), second: None, name: "", shared: false };
            choice.write("$LOW $HIGH $BEYOND $BITS $U $X")
        };
        assert_eq!(write(ElementType::Int8), "(-127 - 1) 0x7f 128.0 8 q_u8 q_u32");
        assert_eq!(
            write(ElementType::Int64),
            "(-9223372036854775807 - 1) 0x7fffffffffffffff 9223372036854775808.0 64 q_u64 q_u64"
        );
        assert_eq!(write(ElementType::UInt32), "0 0xffffffff 4294967296.0 32 q_u32 q_u32");
        assert_eq!(write(ElementType::UInt64), "0 0xffffffffffffffff 18446744073709551616.0 64 q_u64 q_u64");
    }
}
