//! `save` and `load`: host values in binary files, bit for bit, arrays in those of NumPy (`numpy_file`), and values in those of
//! MATLAB (`mat_file`).
//!
//! A file is the signature, the number of values, and the values: a tag, then lengths as 64-bit numbers, texts as
//! UTF-8, elements by the name of their type and in little-endian order. Reading trusts nothing.

#[cfg(feature = "mat")]
use super::mat_file;
use super::numpy_file;
use crate::array::Array;
use crate::error::{Error, Place, Result};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{
    ArrayBuf, ArrayData, ArrayElement, ArrayRef, DataRef, ErrorKind, MAX_NESTING, Record, Value, ValueError,
    array,
};
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

const SIGNATURE: &[u8] = b"QUASAR VALUES 1\n";

/// `save(file, a, ..)`.
pub(super) fn save(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let Some((file, values)) = args.split_first() else {
        return Err(ValueError::argument_count("save", "at least 1", 0).into());
    };
    let path = file_name("save", file)?;
    let bytes = match extension(path).as_str() {
        "npy" => numpy_file::array_bytes(values).map_err(|failure| failed("save", path, failure))?,
        "npz" => numpy_file::archive_bytes(values).map_err(|failure| failed("save", path, failure))?,
        #[cfg(feature = "mat")]
        "mat" => mat_file::bytes(values).map_err(|failure| failed("save", path, failure))?,
        #[cfg(not(feature = "mat"))]
        "mat" => return Err(file_error("save", path, WITHOUT_MAT)),
        other => match foreign(other) {
            Some(whose) => {
                let message = format!(
                    "not supported yet: {whose}; save writes a format of its own, for which use another extension such as .qv"
                );
                return Err(file_error("save", path, message));
            }
            None => {
                let mut bytes = SIGNATURE.to_vec();
                put_values(&mut bytes, values, 0)?;
                bytes
            }
        },
    };
    quasar_files::replace::replace(Path::new(path), &bytes)
        .map_err(|error| file_error("save", path, error))?;
    Ok(Vec::new())
}

/// `load(file[, name, ..])`: the values in their order, or those with the names. What the file is, its first bytes say.
pub(super) fn load(args: &[Value], _working: ElementType) -> Result<Vec<Value>> {
    let Some((file, names)) = args.split_first() else {
        return Err(ValueError::argument_count("load", "at least 1", 0).into());
    };
    let path = file_name("load", file)?;
    let names = names
        .iter()
        .enumerate()
        .map(|(k, name)| match name.as_text() {
            Some(name) => Ok(name.to_owned()),
            None => {
                Err(ValueError::wrong_argument("load", k + 1, "the name of an array", &name.kind()).into())
            }
        })
        .collect::<Result<Vec<String>>>()?;
    let fail = |message: String| file_error("load", path, message);
    let mut file = quasar_files::read::open(Path::new(path)).map_err(|error| fail(error.to_string()))?;
    let length = file.size().map_err(|error| fail(error.to_string()))?;
    let mut begin = Vec::new();
    (&mut file).take(MOST_SIGNATURE).read_to_end(&mut begin).map_err(|error| fail(error.to_string()))?;
    file.seek(SeekFrom::Start(0)).map_err(|error| fail(error.to_string()))?;
    let starts = |signature: &[u8]| begin.starts_with(signature);
    if numpy_file::ARCHIVES.iter().any(|signature| starts(signature)) {
        return numpy_file::read_archive(file, &names).map_err(|failure| failed("load", path, failure));
    }
    if starts(MATLAB) {
        drop(file);
        return load_matlab(path, &names);
    }
    if !names.is_empty() {
        return Err(fail("only arrays in .npz files and variables in .mat files have names".to_owned()));
    }
    if starts(numpy_file::SIGNATURE) {
        let mut file = BufReader::new(file);
        let value = numpy_file::read_array(&mut file, length);
        return Ok(vec![value.map_err(|failure| failed("load", path, failure))?]);
    }
    if !starts(SIGNATURE) {
        return Err(fail(not_ours(path, &begin)));
    }
    drop(file);
    let content = quasar_files::read::bytes_after(Path::new(path), SIGNATURE);
    let content = content.map_err(|error| fail(error.to_string()))?.unwrap_or_default();
    let mut reader = Reader { rest: &content };
    let values = reader.values(0).ok_or_else(|| fail("the file is damaged".to_owned()))?;
    if !reader.rest.is_empty() {
        return Err(fail("the file is damaged: there is something after the last value".to_owned()));
    }
    Ok(values)
}

/// Looks whether a call takes all values of a file, of which those of names were asked for.
pub(super) fn all_taken(args: &[Value], values: usize, taken: usize) -> Result<()> {
    let Some((file, names)) = args.split_first() else { return Ok(()) };
    if taken == 0 || values <= taken || !names.is_empty() {
        return Ok(());
    }
    let path = file_name("load", file)?;
    let targets: Vec<String> = (1..=values.min(3)).map(|k| format!("a{k}")).collect();
    let more = if values > 3 { ", .." } else { "" };
    Err(file_error(
        "load",
        path,
        format!(
            "the file holds {values} values, of which {taken} {} taken; write [{}{more}] = load(..), or name those that are wanted",
            if taken == 1 { "is" } else { "are" },
            targets.join(", "),
        ),
    ))
}

/// How the files of MATLAB begin.
const MATLAB: &[u8] = b"MATLAB ";

#[cfg(feature = "mat")]
fn load_matlab(path: &str, names: &[String]) -> Result<Vec<Value>> {
    let content = quasar_files::read::bytes(Path::new(path));
    let content = content.map_err(|error| file_error("load", path, error))?;
    mat_file::read(&content, names).map_err(|failure| failed("load", path, failure))
}

#[cfg(not(feature = "mat"))]
fn load_matlab(path: &str, _names: &[String]) -> Result<Vec<Value>> {
    Err(file_error("load", path, WITHOUT_MAT))
}

#[cfg(not(feature = "mat"))]
const WITHOUT_MAT: &str = "this program was built without the feature `mat` of the crate `quasar-array`";

/// The longest of the signatures that are known.
const MOST_SIGNATURE: u64 = 16;

/// What a file is that is none of those that are read.
fn not_ours(path: &str, begin: &[u8]) -> String {
    const HDF5: &[u8] = b"\x89HDF\r\n\x1a\n";
    let extension = extension(path);
    let whose = if begin.starts_with(HDF5) {
        foreign("h5")
    } else if extension == "mat" {
        return "the file is damaged, or one of MATLAB's level 4; `save -v7` in MATLAB writes one that is read".to_owned();
    } else if matches!(&extension[..], "npy" | "npz") {
        return "the file is damaged: it does not begin as a file of NumPy".to_owned();
    } else {
        foreign(&extension)
    };
    whose.map_or("this is not a file written by save".to_owned(), |whose| {
        format!("not supported yet: {whose}")
    })
}

fn extension(path: &str) -> String {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.unwrap_or_default().to_ascii_lowercase()
}

/// Whose files have an extension: a file of ours with it would be taken for one of those.
fn foreign(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "h5" | "hdf5" => "HDF5 files; .npz files hold several arrays with names, in Python numpy.savez",
        "csv" | "tsv" => "tables with save and load (csvwrite and csvread do them)",
        "png" | "jpg" | "jpeg" | "tif" | "tiff" | "bmp" | "pgm" | "ppm" | "gif" | "exr" | "webp" => {
            "images with save and load (imwrite and imread do them)"
        }
        _ => return None,
    })
}

fn failed(function: &'static str, path: &str, failure: numpy_file::Failure) -> Error {
    match failure {
        numpy_file::Failure::File(message) => file_error(function, path, message),
        numpy_file::Failure::Other(error) => error,
    }
}

fn file_name<'a>(function: &str, value: &'a Value) -> Result<&'a str> {
    value
        .as_text()
        .ok_or_else(|| ValueError::wrong_argument(function, 0, "a file name", &value.kind()).into())
}

fn file_error(function: &'static str, path: &str, message: impl ToString) -> Error {
    Error::File { place: Place::UNKNOWN, function, path: path.into(), message: message.to_string() }
}

/// An element as bytes.
pub(super) trait Stored: ArrayElement {
    const SIZE: usize = size_of::<Self>();
    /// The size of what has an order of bytes: the element, or each part of a complex number.
    const PART: usize;
    fn put(self, bytes: &mut Vec<u8>);
    fn get(bytes: &[u8]) -> Option<Self>;
}

macro_rules! stored {
    ($($type:ty)*) => {
        $(impl Stored for $type {
            const PART: usize = size_of::<$type>();

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Option<$type> {
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }
        })*
    };
}
stored!(i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64);

macro_rules! stored_complex {
    ($($type:ty)*) => {
        $(impl Stored for Complex<$type> {
            const PART: usize = size_of::<$type>();

            fn put(self, bytes: &mut Vec<u8>) {
                self.re.put(bytes);
                self.im.put(bytes);
            }

            fn get(bytes: &[u8]) -> Option<Self> {
                let (re, im) = bytes.split_at_checked(size_of::<$type>())?;
                Some(Complex::new(<$type>::get(re)?, <$type>::get(im)?))
            }
        })*
    };
}
stored_complex!(f32 f64);

mod tag {
    pub(super) const UNIT: u8 = 0;
    pub(super) const SCALAR: u8 = 1;
    pub(super) const TEXT: u8 = 2;
    pub(super) const ARRAY: u8 = 3;
    pub(super) const CELL: u8 = 4;
    pub(super) const TUPLE: u8 = 5;
    pub(super) const NULL: u8 = 6;
    pub(super) const TYPE: u8 = 7;
    pub(super) const ENUM: u8 = 8;
    pub(super) const OBJECT: u8 = 9;
}

/// The class of objects without one; their fields can be extended.
pub(super) const DYNAMIC_CLASS: &str = "object";

fn put_length(bytes: &mut Vec<u8>, n: usize) {
    bytes.extend_from_slice(&(n as u64).to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_length(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn put_values(bytes: &mut Vec<u8>, values: &[Value], depth: usize) -> Result<()> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting().into());
    }
    put_length(bytes, values.len());
    values.iter().try_for_each(|value| put_value(bytes, value, depth))
}

fn put_value(bytes: &mut Vec<u8>, value: &Value, depth: usize) -> Result<()> {
    match value {
        Value::Unit => bytes.push(tag::UNIT),
        Value::Null => bytes.push(tag::NULL),
        Value::Scalar(x) => {
            bytes.push(tag::SCALAR);
            put_text(bytes, x.element_type().name());
            put_scalar(bytes, *x);
        }
        Value::Text(text) => {
            bytes.push(tag::TEXT);
            put_text(bytes, text);
        }
        Value::TypeName(name) => {
            bytes.push(tag::TYPE);
            put_text(bytes, name);
        }
        Value::Enum { type_name, name, number } => {
            bytes.push(tag::ENUM);
            put_text(bytes, type_name);
            put_text(bytes, name);
            number.put(bytes);
        }
        Value::Tuple(items) => {
            bytes.push(tag::TUPLE);
            put_values(bytes, items, depth + 1)?;
        }
        Value::Array(object) => put_array(bytes, &**object, depth)?,
        Value::Object(object) => {
            bytes.push(tag::OBJECT);
            put_text(bytes, &object.type_name());
            let (names, values): (Vec<_>, Vec<_>) = object.fields().into_iter().unzip();
            put_values(bytes, &values, depth + 1)?;
            names.iter().for_each(|name| put_text(bytes, name));
        }
        Value::Function(function) => {
            let message = format!("save: a function cannot be saved: {}", function.describe());
            return Err(ValueError::new(ErrorKind::Type, message).into());
        }
    }
    Ok(())
}

fn put_array(
    bytes: &mut Vec<u8>,
    object: &dyn quasar_devicelib::value::ArrayObject,
    depth: usize,
) -> Result<()> {
    // Items of a cell are cloned handles, so that a cell containing itself is not locked while it is walked.
    let (dims, items) = array::read(object, |view| {
        if let DataRef::Values(items) = view.data {
            return Ok((view.dims.to_vec(), Some(array::duplicate(items)?)));
        }
        bytes.push(tag::ARRAY);
        put_elements(bytes, view);
        Ok::<_, ValueError>((Vec::new(), None))
    })?;
    if let Some(items) = items {
        bytes.push(tag::CELL);
        put_dims(bytes, &dims);
        put_values(bytes, &items, depth + 1)?;
    }
    Ok(())
}

fn put_dims(bytes: &mut Vec<u8>, dims: &[usize]) {
    put_length(bytes, dims.len());
    dims.iter().for_each(|&n| put_length(bytes, n));
}

macro_rules! for_types {
    ($use:ident) => {
        $use!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64, F16 half::f16, F32 f32, F64 f64,
            C32 num_complex::Complex<f32>, C64 num_complex::Complex<f64>)
    };
}
pub(super) use for_types;

fn put_scalar(bytes: &mut Vec<u8>, x: Scalar) {
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            match x { $(Scalar::$variant(x) => x.put(bytes),)* }
        };
    }
    for_types!(arms);
}

fn put_elements(bytes: &mut Vec<u8>, view: ArrayRef<'_>) {
    put_text(bytes, view.data.element_type().map_or("", ElementType::name));
    put_dims(bytes, view.dims);
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            match view.data {
                $(DataRef::$variant(elements) => elements.iter().for_each(|x| x.put(bytes)),)*
                DataRef::Values(_) => {}
            }
        };
    }
    for_types!(arms);
}

/// Takes a file apart; `None` means that it is damaged.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(bytes)
    }

    fn length(&mut self) -> Option<usize> {
        usize::try_from(u64::get(self.bytes(8)?)?).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.length()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    fn element_type(&mut self) -> Option<ElementType> {
        let name = self.text()?;
        ElementType::ALL.iter().copied().find(|ty| ty.name() == name)
    }

    fn dims(&mut self) -> Option<Vec<usize>> {
        let rank = self.length().filter(|&rank| rank <= crate::array::MAX_DIMS)?;
        (0..rank).map(|_| self.length()).collect()
    }

    fn values(&mut self, depth: usize) -> Option<Vec<Value>> {
        if depth > MAX_NESTING {
            return None;
        }
        let count = self.length().filter(|&count| count <= self.rest.len())?;
        let mut values = array::reserve(count).ok()?;
        for _ in 0..count {
            values.push(self.value(depth)?);
        }
        Some(values)
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        Some(match *self.bytes(1)?.first()? {
            tag::UNIT => Value::Unit,
            tag::NULL => Value::Null,
            tag::TEXT => Value::from(self.text()?),
            tag::TYPE => Value::TypeName(self.text()?.into()),
            tag::TUPLE => Value::Tuple(self.values(depth + 1)?.into()),
            tag::ENUM => Value::Enum {
                type_name: self.text()?.into(),
                name: self.text()?.into(),
                number: i32::get(self.bytes(4)?)?,
            },
            tag::SCALAR => {
                let ty = self.element_type()?;
                Value::Scalar(self.scalar(ty)?)
            }
            tag::ARRAY => {
                let ty = self.element_type()?;
                let dims = self.dims()?;
                self.array(ty, &dims)?
            }
            tag::CELL => {
                let dims = self.dims()?;
                let items = self.values(depth + 1)?;
                ArrayBuf::new(dims, ArrayData::Values(items)).ok()?.into()
            }
            tag::OBJECT => {
                let class = self.text()?;
                let values = self.values(depth + 1)?;
                let fields = values
                    .into_iter()
                    .map(|value| Some((Arc::from(self.text()?), value)))
                    .collect::<Option<Vec<(Arc<str>, Value)>>>()?;
                Value::Object(Record::new(class, class == DYNAMIC_CLASS, fields))
            }
            _ => return None,
        })
    }

    fn scalar(&mut self, ty: ElementType) -> Option<Scalar> {
        let bytes = self.bytes(ty.size())?;
        macro_rules! arms {
            ($($variant:ident $type:ty),*) => {
                $(if ty == <$type as quasar_devicelib::element::Element>::TYPE {
                    return Some(Scalar::$variant(<$type>::get(bytes)?));
                })*
            };
        }
        for_types!(arms);
        None
    }

    fn array(&mut self, ty: ElementType, dims: &[usize]) -> Option<Value> {
        macro_rules! arms {
            ($($variant:ident $type:ty),*) => {
                $(if ty == <$type as quasar_devicelib::element::Element>::TYPE {
                    return Some(self.elements::<$type>(dims)?.to_value());
                })*
            };
        }
        for_types!(arms);
        None
    }

    fn elements<T: Stored>(&mut self, dims: &[usize]) -> Option<Array<T>> {
        let count = crate::array::Shape::new(dims).ok()?.count();
        let bytes = self.bytes(count.checked_mul(T::SIZE)?)?;
        let mut elements = array::reserve(count).ok()?;
        for bytes in bytes.chunks_exact(T::SIZE) {
            elements.push(T::get(bytes)?);
        }
        Array::from_vec(dims, elements).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(values: &[Value]) -> Vec<Value> {
        let mut bytes = Vec::new();
        put_values(&mut bytes, values, 0).unwrap();
        let mut reader = Reader { rest: &bytes };
        let found = reader.values(0).unwrap();
        assert!(reader.rest.is_empty());
        for end in 0..bytes.len() {
            assert!(Reader { rest: &bytes[..end] }.values(0).is_none(), "cut at {end}");
        }
        found
    }

    #[test]
    fn every_value_comes_back_bit_for_bit() {
        let nan = f32::from_bits(0x7fc0_1234);
        let cell = Value::cell(vec![Value::from("α"), Array::from([1u64, u64::MAX]).to_value(), Value::Null]);
        let record = Record::new(DYNAMIC_CLASS, true, vec![("x".into(), Value::int(3))]);
        let found = round_trip(&[
            Array::from([[nan, -0.0], [f32::INFINITY, 1.5]]).to_value(),
            Array::from([Complex::new(1.0f64, -2.0)]).to_value(),
            Value::Scalar(Scalar::F16(f16::from_f32(0.5))),
            cell,
            Value::Enum { type_name: "color".into(), name: "red".into(), number: 2 },
            Value::Object(record),
            Value::Tuple([Value::Unit, Value::TypeName("mat".into())].into()),
            Array::<i16>::zeros(&[0, 3]).unwrap().to_value(),
        ]);
        let a = Array::<f32>::from_value(found[0].clone()).unwrap();
        assert_eq!(a.dims(), [2, 2]);
        assert_eq!(a.get(&[0, 0]).unwrap().to_bits(), nan.to_bits());
        assert!(a.get(&[0, 1]).unwrap().is_sign_negative());
        assert_eq!(found[2].as_scalar(), Some(Scalar::F16(f16::from_f32(0.5))));
        let items = found[3].cell_items().unwrap().unwrap();
        assert_eq!(items[0].as_text(), Some("α"));
        assert_eq!(Array::<u64>::from_value(items[1].clone()).unwrap().to_vec(), [1, u64::MAX]);
        assert!(matches!(&found[4], Value::Enum { number: 2, .. }));
        assert!(matches!(&found[5], Value::Object(o) if o.field("x").is_some()));
        assert_eq!(found[7].dims(), [0, 3]);
    }

    #[test]
    fn a_cell_in_itself_is_an_error() {
        let cell = Value::cell(vec![Value::Null]);
        let set = |item: Value| {
            if let Value::Array(object) = &cell {
                array::write(&**object, |view| {
                    if let quasar_devicelib::value::DataMut::Values(items) = view.data {
                        items[0] = item.clone();
                    }
                });
            }
        };
        set(cell.clone());
        assert!(put_values(&mut Vec::new(), std::slice::from_ref(&cell), 0).is_err());
        // Without the way back to itself it is freed.
        set(Value::Null);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_refused_or_read(bytes in proptest::collection::vec(0u8..12, 0..80)) {
            let _ = Reader { rest: &bytes }.values(0);
        }
    }
}
