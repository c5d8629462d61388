//! `.npy` and `.npz` files: arrays of NumPy, with the element types and the bits that they have there.
//!
//! A mask is an array of truths (`bool`), a number an array without dimensions. What an array here cannot hold is refused.

#[cfg(feature = "npz")]
mod archive;
mod header;

use super::value_file::{Stored, for_types};
use crate::array::{MAX_DIMS, Shape};
use crate::error::Error;
pub(super) use header::SIGNATURE;
use header::{Header, Kind};
use quasar_devicelib::element::{Element, ElementType, Scalar};
use quasar_devicelib::value::{ArrayBuf, ArrayData, DataRef, Value, ValueError, array};
use quasar_files::read::Source;
use std::io::Read;

/// How the archives of NumPy begin, empty ones too.
pub(super) const ARCHIVES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// What is wrong with a file, or memory that is missing.
pub(super) enum Failure {
    File(String),
    Other(Error),
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::File(message)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::File(message.to_owned())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::Other(error)
    }
}

impl From<ValueError> for Failure {
    fn from(error: ValueError) -> Failure {
        Failure::Other(error.into())
    }
}

/// The bytes of a `.npy` file with one value.
pub(super) fn array_bytes(values: &[Value]) -> Result<Vec<u8>, Failure> {
    match values {
        [value] => value_bytes(value, "a .npy file"),
        _ => Err(format!(
            "a .npy file holds one array, and there are {} values; use .npz, which holds several",
            values.len()
        )
        .into()),
    }
}

/// The bytes of a `.npz` file: arrays without names are `arr_0`, `arr_1`, .. as `numpy.savez` calls them, those in fields of
/// objects are called as the fields.
#[cfg(feature = "npz")]
pub(super) fn archive_bytes(values: &[Value]) -> Result<Vec<u8>, Failure> {
    let mut named = Vec::new();
    for (k, value) in values.iter().enumerate() {
        match value {
            Value::Object(object) => {
                named.extend(object.fields().into_iter().map(|(name, x)| (name.to_string(), x)));
            }
            _ => named.push((format!("arr_{k}"), value.clone())),
        }
    }
    let mut entries = Vec::new();
    for (name, value) in named {
        if entries.iter().any(|(other, _)| *other == format!("{name}.npy")) {
            return Err(format!("two of the arrays are called '{name}'").into());
        }
        let bytes = value_bytes(&value, &format!("'{name}' in a .npz file"))?;
        entries.push((format!("{name}.npy"), bytes));
    }
    archive::written(&entries, archive::LARGE)
}

#[cfg(not(feature = "npz"))]
pub(super) fn archive_bytes(_values: &[Value]) -> Result<Vec<u8>, Failure> {
    Err(WITHOUT.into())
}

#[cfg(not(feature = "npz"))]
const WITHOUT: &str = "this program was built without the feature `npz` of the crate `quasar-array`";

fn value_bytes(value: &Value, place: &str) -> Result<Vec<u8>, Failure> {
    match value {
        Value::Scalar(x) => {
            let data = ArrayData::filled(*x, 1)?;
            elements_bytes(Vec::new(), data.view(), false)
        }
        Value::Array(object) if object.element_type().is_some() => {
            array::read(&**object, |view| elements_bytes(view.dims.to_vec(), view.data, object.is_mask()))
        }
        other => Err(format!("{place} holds arrays of numbers, found {}", other.kind()).into()),
    }
}

fn elements_bytes(shape: Vec<usize>, data: DataRef<'_>, truths: bool) -> Result<Vec<u8>, Failure> {
    let ty = data.element_type().ok_or("cells are no arrays of numbers")?;
    let kind = if truths { Kind::Truth } else { Kind::Number(ty) };
    let header = Header { kind, big_endian: false, fortran: false, shape }.to_bytes();
    let mut bytes = array::reserve(header.len() + data.len().saturating_mul(kind.size()))?;
    bytes.extend_from_slice(&header);
    if truths {
        bytes.extend((0..data.len()).map(|i| u8::from(data.scalar(i).is_some_and(|x| x.as_f64() != 0.0))));
        return Ok(bytes);
    }
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            match data {
                $(DataRef::$variant(elements) => elements.iter().for_each(|x| x.put(&mut bytes)),)*
                DataRef::Values(_) => {}
            }
        };
    }
    for_types!(arms);
    Ok(bytes)
}

/// The array of a `.npy` file whose bytes are read from `source`; there are `size` of them.
pub(super) fn read_array(source: &mut dyn Read, size: u64) -> Result<Value, Failure> {
    let mut source = Counted { source, read: 0 };
    let header = Header::read(&mut source)?;
    if header.shape.len() > MAX_DIMS {
        return Err(format!(
            "the array has {} dimensions; arrays have at most {MAX_DIMS} here",
            header.shape.len()
        )
        .into());
    }
    let size_text = || {
        let extents: Vec<_> = header.shape.iter().map(usize::to_string).collect();
        format!("({}) of {} bytes each", extents.join(", "), header.kind.size())
    };
    let count =
        Shape::new(&header.shape).map_err(|_| format!("the array {} is too large", size_text()))?.count();
    let needed = count.checked_mul(header.kind.size()).map(|bytes| bytes as u64);
    let held = size.saturating_sub(source.read);
    if needed != Some(held) {
        let found = if needed.is_none_or(|needed| held < needed) { "cut off" } else { "damaged" };
        return Err(format!("the file is {found}: an array {} is not {held} bytes", size_text()).into());
    }
    let data = match header.kind {
        Kind::Truth => ArrayData::I32(elements(&mut source, count, 1, |[x]: [u8; 1]| i32::from(x != 0))?),
        Kind::Number(ty) => numbers(&mut source, ty, count, header.big_endian)?,
    };
    shaped(&header, data)
}

/// The elements as a value of the shape of the header.
fn shaped(header: &Header, data: ArrayData) -> Result<Value, Failure> {
    if header.shape.is_empty() {
        return Ok(Value::Scalar(data.view().scalar(0).unwrap_or(Scalar::I32(0))));
    }
    let rank = header.shape.len();
    let value = if header.fortran && rank > 1 {
        let reversed = header.shape.iter().rev().copied().collect();
        let stored = ArrayBuf::new(reversed, data)?.into();
        let order = ArrayBuf::ints((0..rank).rev()).into();
        super::call("shuffledims", &[stored, order], 1, ElementType::Single)?.remove(0)
    } else {
        ArrayBuf::new(header.shape.clone(), data)?.into()
    };
    Ok(if header.kind == Kind::Truth { value.into_mask() } else { value })
}

fn numbers(
    source: &mut dyn Read,
    ty: ElementType,
    count: usize,
    big_endian: bool,
) -> Result<ArrayData, Failure> {
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            $(if ty == <$type as Element>::TYPE {
                let number = |bytes: [u8; size_of::<$type>()]| <$type>::get(&bytes).unwrap_or_default();
                let part = if big_endian { <$type as Stored>::PART } else { 1 };
                return Ok(ArrayData::$variant(elements(source, count, part, number)?));
            })*
        };
    }
    for_types!(arms);
    Err("elements of this type are not known here".into())
}

/// Reads `count` elements of `N` bytes. The bytes of each `part` of an element are stored in reverse order.
fn elements<T, const N: usize>(
    source: &mut dyn Read,
    count: usize,
    part: usize,
    element: impl Fn([u8; N]) -> T,
) -> Result<Vec<T>, Failure> {
    /// Elements that are read at once.
    const CHUNK: usize = 1 << 13;
    let mut elements = array::reserve(count)?;
    let mut chunk = vec![[0; N]; CHUNK.min(count)];
    while elements.len() < count {
        let now = CHUNK.min(count - elements.len());
        let Some(chunk) = chunk.get_mut(..now) else { break };
        let bytes = chunk.as_flattened_mut();
        source.read_exact(bytes).map_err(|error| error.to_string())?;
        if part > 1 {
            bytes.chunks_exact_mut(part).for_each(<[u8]>::reverse);
        }
        elements.extend(chunk.iter().map(|&bytes| element(bytes)));
    }
    Ok(elements)
}

/// The arrays of a `.npz` file: all in their order, or those with the given names.
#[cfg(feature = "npz")]
pub(super) fn read_archive(file: Source, names: &[String]) -> Result<Vec<Value>, Failure> {
    let mut archive = archive::Archive::open(file)?;
    let stored: Vec<String> = archive.names().map(str::to_owned).collect();
    let positions: Vec<usize> = if names.is_empty() {
        (0..stored.len()).collect()
    } else {
        let position = |name: &String| {
            let found = stored.iter().position(|known| known.strip_suffix(".npy") == Some(&name[..]));
            found.ok_or_else(|| {
                let known: Vec<_> = stored.iter().map(|name| name.trim_end_matches(".npy")).collect();
                Failure::File(format!("there is no array '{name}'; there are {}", known.join(", ")))
            })
        };
        names.iter().map(position).collect::<Result<_, _>>()?
    };
    let mut values = Vec::new();
    for k in positions {
        let Some(name) = stored.get(k) else { continue };
        let about = |failure| match failure {
            Failure::File(message) => Failure::File(format!("'{name}': {message}")),
            other => other,
        };
        if !name.ends_with(".npy") {
            return Err(format!("'{name}' is no array of NumPy").into());
        }
        values.push(archive.entry(k, read_array).map_err(about)?);
    }
    Ok(values)
}

#[cfg(not(feature = "npz"))]
pub(super) fn read_archive(_file: Source, _names: &[String]) -> Result<Vec<Value>, Failure> {
    Err(WITHOUT.into())
}

/// Counts what is read.
struct Counted<'a> {
    source: &'a mut dyn Read,
    read: u64,
}

impl Read for Counted<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let read = self.source.read(bytes)?;
        self.read += read as u64;
        Ok(read)
    }
}
