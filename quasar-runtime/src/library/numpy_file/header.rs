//! The header of a `.npy` file: a signature, a version, and a dictionary as Python writes it.
//!
//! `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`

use quasar_devicelib::element::ElementType;
use std::io::Read;

/// What every `.npy` file begins with.
pub(in crate::library) const SIGNATURE: &[u8] = b"\x93NUMPY";

/// NumPy itself refuses more than 10,000 bytes where it does not trust a file.
const MOST: usize = 1 << 16;

/// Where the elements begin is a multiple of this.
const ALIGNED: usize = 64;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A byte that is 0 or not.
    Truth,
    Number(ElementType),
}

impl Kind {
    pub(super) fn size(self) -> usize {
        match self {
            Kind::Truth => 1,
            Kind::Number(ty) => ty.size(),
        }
    }

    /// As NumPy names it, in little-endian order.
    fn name(self) -> String {
        let ty = match self {
            Kind::Truth => return "|b1".to_owned(),
            Kind::Number(ty) => ty,
        };
        let letter = match ty {
            ElementType::Int8 | ElementType::Int16 | ElementType::Int32 | ElementType::Int64 => 'i',
            ElementType::UInt8 | ElementType::UInt16 | ElementType::UInt32 | ElementType::UInt64 => 'u',
            ElementType::Half | ElementType::Single | ElementType::Double => 'f',
            ElementType::ComplexSingle | ElementType::ComplexDouble => 'c',
        };
        let order = if ty.size() == 1 { '|' } else { '<' };
        format!("{order}{letter}{}", ty.size())
    }
}

/// How the elements of a file are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) kind: Kind,
    pub(super) big_endian: bool,
    /// The first index runs fastest.
    pub(super) fortran: bool,
    pub(super) shape: Vec<usize>,
}

const DAMAGED: &str = "the file is damaged: its header is not one of NumPy";

impl Header {
    /// The bytes of a header of version 1, which suffices for every shape that arrays of ours have.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let shape = match &self.shape[..] {
            [n] => format!("({n},)"),
            shape => format!("({})", shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
        };
        let mut text =
            format!("{{'descr': '{}', 'fortran_order': False, 'shape': {shape}, }}", self.kind.name());
        let before = SIGNATURE.len() + 4;
        let end = (before + text.len() + 1).next_multiple_of(ALIGNED) - 1;
        text.extend(std::iter::repeat_n(' ', end - before - text.len()));
        text.push('\n');
        let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
        [SIGNATURE, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat()
    }

    /// Reads a header, or says what is wrong.
    pub(super) fn read(source: &mut dyn Read) -> Result<Header, String> {
        let cut = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => "the file is cut off within its header".to_owned(),
            _ => error.to_string(),
        };
        let mut begin = [0; 8];
        source.read_exact(&mut begin).map_err(cut)?;
        let Some(&[major, minor]) = begin.strip_prefix(SIGNATURE) else {
            return Err("this is no array of NumPy: it does not begin as one".to_owned());
        };
        let length = match (major, minor) {
            (1, 0) => {
                let mut length = [0; 2];
                source.read_exact(&mut length).map_err(cut)?;
                usize::from(u16::from_le_bytes(length))
            }
            (2 | 3, 0) => {
                let mut length = [0; 4];
                source.read_exact(&mut length).map_err(cut)?;
                usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX)
            }
            _ => return Err(format!("version {major}.{minor} of NumPy's format is not known here")),
        };
        if length > MOST {
            return Err(format!("the file claims a header of {length} bytes, at most {MOST} are read"));
        }
        let mut text = vec![0; length];
        source.read_exact(&mut text).map_err(cut)?;
        // Versions 1 and 2 are Latin-1; what is not ASCII stands in names of fields only, which are refused.
        Parser { rest: &String::from_utf8_lossy(&text) }.header()
    }
}

/// A value of the dictionary.
enum Item<'a> {
    Text(&'a str),
    Truth(bool),
    Shape(Vec<usize>),
    /// A list: the fields of a structure.
    Fields,
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(DAMAGED.to_owned()) }
    }

    fn header(mut self) -> Result<Header, String> {
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.takes("}") {
            let key = self.text()?;
            self.expect(":")?;
            match (key, self.item()?) {
                ("descr", Item::Text(name)) if descr.is_none() => descr = Some(element(name)?),
                ("descr", Item::Fields) => {
                    return Err(
                        "the elements are structures with fields; arrays of numbers are read: save each \
                                field as an array of its own, x['field']"
                            .to_owned(),
                    );
                }
                ("fortran_order", Item::Truth(x)) if fortran.is_none() => fortran = Some(x),
                ("shape", Item::Shape(dims)) if shape.is_none() => shape = Some(dims),
                _ => return Err(DAMAGED.to_owned()),
            }
            if !self.takes(",") {
                self.expect("}")?;
                break;
            }
        }
        match (self.rest.trim().is_empty(), descr, fortran, shape) {
            (true, Some((kind, big_endian)), Some(fortran), Some(shape)) => {
                Ok(Header { kind, big_endian, fortran, shape })
            }
            _ => Err(DAMAGED.to_owned()),
        }
    }

    /// A text without escapes, which no name that we know has.
    fn text(&mut self) -> Result<&'a str, String> {
        let quote = if self.takes("'") { '\'' } else { self.expect("\"").map(|()| '"')? };
        let (text, rest) = self.rest.split_once(quote).ok_or(DAMAGED)?;
        self.rest = rest;
        if text.contains('\\') { Err(DAMAGED.to_owned()) } else { Ok(text) }
    }

    fn item(&mut self) -> Result<Item<'a>, String> {
        if self.takes("True") {
            Ok(Item::Truth(true))
        } else if self.takes("False") {
            Ok(Item::Truth(false))
        } else if self.takes("(") {
            self.shape().map(Item::Shape)
        } else if self.takes("[") {
            Ok(Item::Fields)
        } else {
            self.text().map(Item::Text)
        }
    }

    /// Numbers up to the bracket, behind each a comma, which the last of several needs not. Python 2 wrote `3L`.
    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        while !self.takes(")") {
            self.rest = self.rest.trim_start();
            let end = self.rest.find(|c: char| !c.is_ascii_digit()).ok_or(DAMAGED)?;
            let (digits, rest) = self.rest.split_at(end);
            self.rest = rest;
            shape.push(digits.parse().map_err(|_| DAMAGED)?);
            self.takes("L");
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(shape)
    }
}

/// The element that a name such as `<f4` stands for, and whether its bytes are in big-endian order.
fn element(name: &str) -> Result<(Kind, bool), String> {
    let mut letters = name.chars();
    let (order, rest) = match letters.next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, letters.as_str()),
        _ => ('|', name),
    };
    let kind = match rest {
        "b1" | "?" => Kind::Truth,
        "i1" => Kind::Number(ElementType::Int8),
        "i2" => Kind::Number(ElementType::Int16),
        "i4" => Kind::Number(ElementType::Int32),
        "i8" => Kind::Number(ElementType::Int64),
        "u1" => Kind::Number(ElementType::UInt8),
        "u2" => Kind::Number(ElementType::UInt16),
        "u4" => Kind::Number(ElementType::UInt32),
        "u8" => Kind::Number(ElementType::UInt64),
        "f2" => Kind::Number(ElementType::Half),
        "f4" => Kind::Number(ElementType::Single),
        "f8" => Kind::Number(ElementType::Double),
        "c8" => Kind::Number(ElementType::ComplexSingle),
        "c16" => Kind::Number(ElementType::ComplexDouble),
        other => return Err(format!("elements of type '{name}' {}", refused(other))),
    };
    if order == '|' && kind.size() > 1 {
        return Err(format!("elements of type '{name}' say nothing of the order of their bytes"));
    }
    let big_endian = order == '>' || order == '=' && cfg!(target_endian = "big");
    Ok((kind, big_endian))
}

/// Why elements are not read, and what to do.
fn refused(letters: &str) -> &'static str {
    match letters.chars().next() {
        Some('O') => {
            "are Python objects, which only Python can read, by running what the file says; save arrays of numbers"
        }
        Some('V') => "are structures or raw bytes; save each field as an array of numbers",
        Some('U' | 'S' | 'a') => "are texts; save arrays of numbers",
        Some('M' | 'm') => "are dates or durations; save them as numbers: x.astype('int64')",
        Some('f' | 'g') => "have more digits than numbers here; save x.astype('float64')",
        Some('c' | 'G') => "have more digits than numbers here; save x.astype('complex128')",
        _ => "are not known here",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, version: u8) -> Result<Header, String> {
        let length = (text.len() as u32).to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length };
        Header::read(&mut &[SIGNATURE, &[version, 0], length, text.as_bytes()].concat()[..])
    }

    #[test]
    fn headers_come_back() {
        for shape in [vec![], vec![3], vec![0, 2], vec![1; 16], vec![usize::MAX, 1]] {
            for kind in ElementType::ALL.iter().copied().map(Kind::Number).chain([Kind::Truth]) {
                let header = Header { kind, big_endian: false, fortran: false, shape: shape.clone() };
                let bytes = header.to_bytes();
                assert_eq!(bytes.len() % ALIGNED, 0);
                assert_eq!(Header::read(&mut &bytes[..]), Ok(header));
                for end in 0..bytes.len() {
                    assert!(Header::read(&mut &bytes[..end]).is_err(), "{end}");
                }
            }
        }
    }

    #[test]
    fn other_spellings_are_read() {
        let expected = Header {
            kind: Kind::Number(ElementType::Single),
            big_endian: true,
            fortran: true,
            shape: vec![3, 4],
        };
        for version in [1, 2, 3] {
            for text in [
                "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 4), }   \n",
                "{'shape':(3L,4L),'fortran_order':True,\"descr\":\">f4\"}",
            ] {
                assert_eq!(read(text, version), Ok(expected.clone()));
            }
        }
    }

    #[test]
    fn what_is_refused_has_a_name() {
        let with = |descr: &str| {
            read(&format!("{{'descr': {descr}, 'fortran_order': False, 'shape': (2,), }}"), 1).unwrap_err()
        };
        assert!(with("'|O'").contains("'|O' are Python objects"));
        assert!(with("[('a', '<f4'), ('b', '<i4')]").contains("structures with fields"));
        assert!(with("'|V8'").contains("structures"));
        assert!(with("'<U5'").contains("texts"));
        assert!(with("'<M8[ns]'").contains("dates"));
        assert!(with("'<f16'").contains("astype('float64')"));
        assert!(with("'<c32'").contains("astype('complex128')"));
        assert!(with("'|f4'").contains("order of their bytes"));
        for wrong in
            ["", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"]
        {
            assert_eq!(read(wrong, 1), Err(DAMAGED.to_owned()), "{wrong}");
        }
        let twice = "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}";
        assert_eq!(read(twice, 2), Err(DAMAGED.to_owned()));
        assert!(read("{}", 4).unwrap_err().contains("version 4.0"));
    }
}
