//! Reads files of MATLAB. It trusts nothing in them.

use super::super::value_file::{DYNAMIC_CLASS, Stored, for_types};
use super::{Failure, HEADER, class, flag, mi};
use crate::array::{MAX_DIMS, Shape};
use num_complex::Complex;
use quasar_devicelib::element::{Element, ElementType, Overflow, Scalar};
use quasar_devicelib::value::{ArrayBuf, ArrayData, MAX_NESTING, Record, Value, ValueError, array, convert};
use std::borrow::Cow;
use std::sync::Arc;

/// The values of a file: all in their order, or those with the given names.
pub(in super::super) fn read(file: &[u8], names: &[String]) -> Result<Vec<Value>, Failure> {
    let (header, rest) = file.split_at_checked(HEADER).ok_or("the file is cut off")?;
    let big = match header.get(124..) {
        Some([0, 1, b'I', b'M']) => false,
        Some([1, 0, b'M', b'I']) => true,
        Some([0, 2, b'I', b'M'] | [2, 0, b'M', b'I']) => {
            return Err(
                "not supported yet: MATLAB's files of version 7.3; `save -v7` in MATLAB writes one that is"
                    .into(),
            );
        }
        _ => return Err("the file is damaged: it is no file of MATLAB's level 5".into()),
    };
    let mut elements = Elements { rest, big };
    let mut found: Vec<(String, Value)> = Vec::new();
    let mut seen = Vec::new();
    while !elements.rest.is_empty() {
        let (ty, contents) = elements.next()?;
        let (ty, contents) = match ty {
            mi::COMPRESSED => inflated(contents, big)?,
            _ => (ty, Cow::Borrowed(contents)),
        };
        if ty != mi::MATRIX {
            return Err(format!("the file is damaged: an element of type {ty} is no variable").into());
        }
        let matrix = Matrix::begin(&contents, big)?;
        // Variables of the system have no names.
        if matrix.name.is_empty() {
            continue;
        }
        let name = matrix.name.clone();
        seen.push(name.clone());
        if names.is_empty() || names.contains(&name) {
            let value = matrix.value(0).map_err(|failure| match failure {
                Failure::File(message) => Failure::File(format!("'{name}': {message}")),
                other => other,
            })?;
            found.push((name, value));
        }
    }
    if names.is_empty() {
        return Ok(found.into_iter().map(|(_, value)| value).collect());
    }
    let value = |name: &String| {
        let value = found.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        value.ok_or_else(|| {
            Failure::File(format!("there is no variable '{name}'; there are {}", seen.join(", ")))
        })
    };
    names.iter().map(value).collect()
}

fn damaged() -> Failure {
    "the file is damaged".into()
}

/// The element inside of a compressed one.
fn inflated(contents: &[u8], big: bool) -> Result<(u32, Cow<'static, [u8]>), Failure> {
    use std::io::Read;

    let mut decoder = flate2::read::ZlibDecoder::new(contents);
    let mut tag = [0; 8];
    decoder.read_exact(&mut tag).map_err(|error| error.to_string())?;
    let mut begin = Elements { rest: &tag, big };
    let (ty, length) = (begin.u32()?, begin.u32()?);
    // Nothing is packed denser, so that a small file takes little memory whatever it claims.
    const DENSEST: usize = 1100;
    let most = contents.len().saturating_mul(DENSEST);
    let length = usize::try_from(length).ok().filter(|length| *length <= most).ok_or_else(damaged)?;
    let mut bytes = array::reserve(length)?;
    decoder.take(length as u64).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() < length {
        return Err("the file is cut off".into());
    }
    Ok((ty, Cow::Owned(bytes)))
}

/// The elements of a file or of an array, one after the other.
struct Elements<'a> {
    rest: &'a [u8],
    big: bool,
}

impl<'a> Elements<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or("the file is cut off")?;
        self.rest = rest;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, Failure> {
        let bytes = self.take(4)?.try_into().map_err(|_| damaged())?;
        Ok(if self.big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    /// Type and contents of the next element.
    fn next(&mut self) -> Result<(u32, &'a [u8]), Failure> {
        let tag = self.u32()?;
        if tag >> 16 != 0 {
            // A small one, in its tag.
            let contents = self.take(4)?.get(..(tag >> 16) as usize).ok_or_else(damaged)?;
            return Ok((tag & 0xffff, contents));
        }
        let length = self.u32()? as usize;
        let contents = self.take(length)?;
        // What is compressed is not filled up; nor is, in some files, the last element.
        if tag != mi::COMPRESSED {
            let filling = length.next_multiple_of(8) - length;
            self.rest = self.rest.get(filling..).unwrap_or_default();
        }
        Ok((tag, contents))
    }

    /// The contents of the next element, which has this type.
    fn expect(&mut self, wanted: u32) -> Result<&'a [u8], Failure> {
        let (ty, contents) = self.next()?;
        if ty == wanted { Ok(contents) } else { Err(damaged()) }
    }

    fn integers(&mut self) -> Result<Vec<i32>, Failure> {
        let (bytes, big) = (self.expect(mi::INT32)?, self.big);
        let number =
            |bytes: &[u8; 4]| if big { i32::from_be_bytes(*bytes) } else { i32::from_le_bytes(*bytes) };
        Ok(bytes.as_chunks::<4>().0.iter().map(number).collect())
    }
}

/// An array whose beginning was read.
struct Matrix<'a> {
    class: u8,
    flags: u8,
    /// As in the file: at least two.
    dims: Vec<usize>,
    name: String,
    elements: Elements<'a>,
}

impl<'a> Matrix<'a> {
    fn begin(contents: &'a [u8], big: bool) -> Result<Matrix<'a>, Failure> {
        let mut elements = Elements { rest: contents, big };
        if contents.is_empty() {
            // An item of a cell that was never set.
            let dims = vec![0, 0];
            return Ok(Matrix { class: class::DOUBLE, flags: 0, dims, name: String::new(), elements });
        }
        let mut flags = Elements { rest: elements.expect(mi::UINT32)?, big };
        let flags = flags.u32()?;
        let [class, flags, ..] = flags.to_le_bytes();
        // Objects of MATLAB's classes and functions have no dimensions here.
        let unknown = match class {
            1..=15 if class != 3 && class != 5 => None,
            3 => Some("an object of a class"),
            5 => Some("a sparse matrix; `full` makes an ordinary one in MATLAB"),
            16 => Some("a function"),
            17 => Some("an object of a class, a string (`char` makes one that is read) or a table"),
            _ => Some("a value of an unknown class"),
        };
        if let Some(what) = unknown {
            // Its name says which one it is, where it has one.
            let name = elements.next().and_then(|_| elements.next()).map(|(_, name)| latin(name));
            return Err(match name {
                Ok(name) if !name.is_empty() => format!("not supported yet: '{name}' is {what}").into(),
                _ => format!("not supported yet: {what}").into(),
            });
        }
        let dims = elements.integers()?;
        let dims = dims
            .into_iter()
            .map(|n| usize::try_from(n).map_err(|_| damaged()))
            .collect::<Result<Vec<_>, _>>()?;
        if dims.len() < 2 {
            return Err(damaged());
        }
        if dims.len() > MAX_DIMS {
            return Err(format!(
                "an array has {} dimensions; arrays have at most {MAX_DIMS} here",
                dims.len()
            )
            .into());
        }
        let name = latin(elements.expect(mi::INT8)?);
        Ok(Matrix { class, flags, dims, name, elements })
    }

    fn count(&self) -> Result<usize, Failure> {
        Ok(Shape::new(&self.dims).map_err(|_| damaged())?.count())
    }

    fn value(self, depth: usize) -> Result<Value, Failure> {
        if depth > MAX_NESTING {
            return Err(ValueError::nesting().into());
        }
        match self.class {
            class::CELL => {
                let (dims, items) = (self.dims.clone(), self.items(1, depth)?);
                shaped(&dims, ArrayData::Values(items))
            }
            class::STRUCT => self.structures(depth),
            class::CHAR => self.text(),
            _ => self.numbers(),
        }
    }

    /// The arrays inside, `each` for each element.
    fn items(mut self, each: usize, depth: usize) -> Result<Vec<Value>, Failure> {
        let count = self.count()?.checked_mul(each).ok_or_else(damaged)?;
        // Each takes 8 bytes at least.
        if count > self.elements.rest.len() / 8 {
            return Err("the file is cut off".into());
        }
        let mut items = array::reserve(count)?;
        for _ in 0..count {
            let contents = self.elements.expect(mi::MATRIX)?;
            items.push(Matrix::begin(contents, self.elements.big)?.value(depth + 1)?);
        }
        Ok(items)
    }

    /// An object for one structure, a cell of them for an array.
    fn structures(mut self, depth: usize) -> Result<Value, Failure> {
        let width = match self.elements.integers()?.as_slice() {
            [width] if *width > 0 => *width as usize,
            _ => return Err(damaged()),
        };
        let names = self.elements.expect(mi::INT8)?.chunks(width);
        let names: Vec<Arc<str>> = names.map(|name| Arc::from(latin(name))).collect();
        let (dims, count) = (self.dims.clone(), self.count()?);
        if names.is_empty() && count > 1 {
            return Err("not supported yet: an array of structures without fields".into());
        }
        let mut values = self.items(names.len(), depth)?.into_iter();
        let mut objects = array::reserve(count)?;
        for _ in 0..count {
            let fields = names.iter().cloned().zip(values.by_ref()).collect();
            objects.push(Value::Object(Record::new(DYNAMIC_CLASS, true, fields)));
        }
        match objects.pop() {
            Some(object) if objects.is_empty() => Ok(object),
            last => {
                objects.extend(last);
                shaped(&dims, ArrayData::Values(objects))
            }
        }
    }

    /// A text for one row of letters, a vec of texts for several.
    fn text(mut self) -> Result<Value, Failure> {
        let count = self.count()?;
        let (ty, bytes) = self.elements.next()?;
        let big = self.elements.big;
        let wrong = || Failure::File("the file is damaged: a text has letters that there are not".to_owned());
        let units = |bytes: &[u8]| -> Vec<u16> {
            let unit =
                |pair: &[u8; 2]| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) };
            bytes.as_chunks::<2>().0.iter().map(unit).collect()
        };
        let units: Vec<u16> = match ty {
            mi::INT8 | mi::UINT8 => bytes.iter().map(|&byte| u16::from(byte)).collect(),
            mi::UINT16 | mi::INT16 | mi::UTF16 => units(bytes),
            mi::UTF8 => std::str::from_utf8(bytes).map_err(|_| wrong())?.encode_utf16().collect(),
            mi::UTF32 | mi::UINT32 => {
                let mut rest = Elements { rest: bytes, big };
                let mut text = String::new();
                while !rest.rest.is_empty() {
                    text.push(char::from_u32(rest.u32()?).ok_or_else(wrong)?);
                }
                text.encode_utf16().collect()
            }
            _ => return Err(damaged()),
        };
        let decoded = |units: &[u16]| String::from_utf16(units).map_err(|_| wrong());
        let (rows, columns) = match self.dims[..] {
            // Some programs count letters where MATLAB counts units.
            [1, _] => return Ok(Value::from(decoded(&units)?)),
            [rows, columns] => (rows, columns),
            _ => return Err("not supported yet: letters in more than two dimensions".into()),
        };
        if count == 0 && units.is_empty() {
            return Ok(Value::from(""));
        }
        if count != units.len() {
            return Err(damaged());
        }
        let row = |m: usize| -> Result<Value, Failure> {
            let row: Vec<u16> = (0..columns).filter_map(|n| units.get(n * rows + m).copied()).collect();
            Ok(Value::from(decoded(&row)?))
        };
        let texts = (0..rows).map(row).collect::<Result<Vec<_>, _>>()?;
        Ok(ArrayBuf::new(vec![rows], ArrayData::Values(texts))?.into())
    }

    fn numbers(mut self) -> Result<Value, Failure> {
        let (count, complex) = (self.count()?, self.flags & flag::COMPLEX != 0);
        let truths = self.flags & flag::LOGICAL != 0;
        let ty = match self.class {
            _ if truths => ElementType::Int32,
            class::DOUBLE => ElementType::Double,
            class::SINGLE => ElementType::Single,
            class::INT8 => ElementType::Int8,
            class::UINT8 => ElementType::UInt8,
            class::INT16 => ElementType::Int16,
            class::UINT16 => ElementType::UInt16,
            class::INT32 => ElementType::Int32,
            class::UINT32 => ElementType::UInt32,
            class::INT64 => ElementType::Int64,
            class::UINT64 => ElementType::UInt64,
            _ => return Err(damaged()),
        };
        if count == 0 && self.elements.rest.is_empty() {
            return shaped(&self.dims, ArrayData::filled(zero(ty), 0)?);
        }
        let data = part(&mut self.elements, ty, count)?;
        let data = match (data, complex) {
            (data, false) => data,
            (ArrayData::F64(re), true) => match part(&mut self.elements, ty, count)? {
                ArrayData::F64(im) => ArrayData::C64(joined(&re, &im)?),
                _ => return Err(damaged()),
            },
            (ArrayData::F32(re), true) => match part(&mut self.elements, ty, count)? {
                ArrayData::F32(im) => ArrayData::C32(joined(&re, &im)?),
                _ => return Err(damaged()),
            },
            (_, true) => return Err("not supported yet: complex numbers of integers".into()),
        };
        let value = shaped(&self.dims, data)?;
        Ok(if truths { value.into_mask() } else { value })
    }
}

fn zero(ty: ElementType) -> Scalar {
    Scalar::I32(0).convert(ty, Overflow::Wrap).unwrap_or(Scalar::I32(0))
}

fn joined<T: Copy>(re: &[T], im: &[T]) -> Result<Vec<Complex<T>>, Failure> {
    let mut both = array::reserve(re.len())?;
    both.extend(re.iter().zip(im).map(|(&re, &im)| Complex::new(re, im)));
    Ok(both)
}

/// The next element as numbers of a type. MATLAB stores them in the smallest type that holds all of them.
fn part(elements: &mut Elements<'_>, ty: ElementType, count: usize) -> Result<ArrayData, Failure> {
    let big = elements.big;
    let (stored, bytes) = elements.next()?;
    let stored = match stored {
        mi::INT8 => ElementType::Int8,
        mi::UINT8 => ElementType::UInt8,
        mi::INT16 => ElementType::Int16,
        mi::UINT16 => ElementType::UInt16,
        mi::INT32 => ElementType::Int32,
        mi::UINT32 => ElementType::UInt32,
        mi::SINGLE => ElementType::Single,
        mi::DOUBLE => ElementType::Double,
        mi::INT64 => ElementType::Int64,
        mi::UINT64 => ElementType::UInt64,
        _ => return Err(damaged()),
    };
    if count.checked_mul(stored.size()) != Some(bytes.len()) {
        return Err("the file is damaged: an array has more or fewer elements than its size says".into());
    }
    let data = decoded(bytes, stored, count, big)?;
    if stored == ty {
        return Ok(data);
    }
    let converted = |k: usize| {
        let x = data.view().scalar(k).ok_or_else(damaged)?;
        convert::convert_scalar(x, ty, Overflow::Checked).map_err(|_| damaged())
    };
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            $(if ty == <$type as Element>::TYPE {
                let mut numbers = array::reserve(count)?;
                for k in 0..count {
                    numbers.push(<$type>::from_scalar(converted(k)?).ok_or_else(damaged)?);
                }
                return Ok(ArrayData::$variant(numbers));
            })*
        };
    }
    for_types!(arms);
    Err(damaged())
}

fn decoded(bytes: &[u8], ty: ElementType, count: usize, big: bool) -> Result<ArrayData, Failure> {
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            $(if ty == <$type as Element>::TYPE {
                let mut numbers = array::reserve(count)?;
                for &number in bytes.as_chunks::<{ size_of::<$type>() }>().0 {
                    let mut number = number;
                    if big {
                        number.reverse();
                    }
                    numbers.push(<$type>::get(&number).unwrap_or_default());
                }
                return Ok(ArrayData::$variant(numbers));
            })*
        };
    }
    for_types!(arms);
    Err(damaged())
}

/// Elements in the order of columns as a value: a number where there is one, a vec where there is one row.
fn shaped(dims: &[usize], data: ArrayData) -> Result<Value, Failure> {
    let is_cell = data.element_type().is_none();
    match *dims {
        [1, 1] if !is_cell => Ok(Value::Scalar(data.view().scalar(0).ok_or_else(damaged)?)),
        [1, columns] => Ok(ArrayBuf::new(vec![columns], data)?.into()),
        _ => {
            let reversed = dims.iter().rev().copied().collect();
            let stored = ArrayBuf::new(reversed, data)?.into();
            let order = ArrayBuf::ints((0..dims.len()).rev()).into();
            Ok(super::super::call("shuffledims", &[stored, order], 1, ElementType::Single)?.remove(0))
        }
    }
}

/// A name: letters of ASCII, up to a zero.
fn latin(bytes: &[u8]) -> String {
    bytes.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte)).collect()
}
