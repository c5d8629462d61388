//! Writes files of MATLAB, without compression.

use super::super::value_file::{Stored, for_types};
use super::{Failure, HEADER, LONGEST_NAME, class, flag, mi};
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{
    ArrayBuf, ArrayData, ArrayObject, ArrayRef, DataRef, MAX_NESTING, Object, Value, ValueError, array,
};

/// The bytes of a file: values without names are `arr_0`, `arr_1`, .., those in fields of objects are called as the fields.
pub(in super::super) fn bytes(values: &[Value]) -> Result<Vec<u8>, Failure> {
    let mut named: Vec<(String, Value)> = Vec::new();
    for (k, value) in values.iter().enumerate() {
        match value {
            Value::Object(object) => {
                named.extend(object.fields().into_iter().map(|(name, x)| (name.to_string(), x)));
            }
            _ => named.push((format!("arr_{k}"), value.clone())),
        }
    }
    let mut bytes = b"MATLAB 5.0 MAT-file, written by Quasar".to_vec();
    bytes.resize(HEADER - 12, b' ');
    bytes.resize(HEADER - 4, 0);
    bytes.extend_from_slice(&[0, 1, b'I', b'M']);
    for (k, (name, value)) in named.iter().enumerate() {
        if named.iter().take(k).any(|(other, _)| other == name) {
            return Err(format!("two of the values are called '{name}'").into());
        }
        check_name(name)?;
        put_value(&mut bytes, name, value, 0).map_err(|failure| match failure {
            Failure::File(message) => Failure::File(format!("'{name}': {message}")),
            other => other,
        })?;
    }
    Ok(bytes)
}

fn check_name(name: &str) -> Result<(), Failure> {
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= LONGEST_NAME
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if is_name {
        return Ok(());
    }
    Err(format!(
        "'{name}' is no name in MATLAB, which has letters, digits and underscores, at most {LONGEST_NAME}, and begins with a letter"
    )
    .into())
}

/// An element: type, length and contents up to a multiple of 8 bytes. Up to 4 bytes lie in the tag.
fn put(bytes: &mut Vec<u8>, ty: u32, contents: &[u8]) -> Result<(), Failure> {
    let length = u32::try_from(contents.len()).map_err(|_| too_large())?;
    if (1..=4).contains(&length) {
        bytes.extend_from_slice(&(ty | length << 16).to_le_bytes());
        bytes.extend_from_slice(contents);
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        return Ok(());
    }
    bytes.extend_from_slice(&ty.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(contents);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    Ok(())
}

fn too_large() -> Failure {
    "more than 2 GB do not fit a variable of a .mat file; .npz holds them".into()
}

/// An array: `contents` writes what stands behind its name.
fn put_matrix(
    bytes: &mut Vec<u8>,
    name: &str,
    (class, flags): (u8, u8),
    dims: &[usize],
    contents: impl FnOnce(&mut Vec<u8>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    bytes.extend_from_slice(&mi::MATRIX.to_le_bytes());
    let length_at = bytes.len();
    bytes.extend_from_slice(&[0; 4]);
    put(bytes, mi::UINT32, &[class, flags, 0, 0, 0, 0, 0, 0])?;
    // There are at least two dimensions.
    let rows: &[usize] = if dims.len() < 2 { &[1] } else { &[] };
    let dims = rows.iter().chain(dims);
    let dims: Option<Vec<u8>> = dims
        .map(|&n| Some(i32::try_from(n).ok()?.to_le_bytes()))
        .collect::<Option<Vec<_>>>()
        .map(|d| d.concat());
    put(bytes, mi::INT32, &dims.ok_or_else(too_large)?)?;
    put(bytes, mi::INT8, name.as_bytes())?;
    contents(bytes)?;
    let length = bytes.len() - length_at - 4;
    // MATLAB and others count with 31 bits.
    let length = i32::try_from(length).map_err(|_| too_large())?;
    if let Some(place) = bytes.get_mut(length_at..length_at + 4) {
        place.copy_from_slice(&length.to_le_bytes());
    }
    Ok(())
}

fn put_value(bytes: &mut Vec<u8>, name: &str, value: &Value, depth: usize) -> Result<(), Failure> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting().into());
    }
    match value {
        Value::Scalar(x) => {
            let data = ArrayData::filled(*x, 1)?;
            put_numbers(bytes, name, ArrayRef { dims: &[1, 1], data: data.view() }, false)
        }
        Value::Text(text) => put_text(bytes, name, text),
        Value::Tuple(items) => put_cell(bytes, name, &[items.len()], items, depth),
        Value::Array(object) => put_array(bytes, name, value, &**object, depth),
        Value::Object(object) => put_structure(bytes, name, &**object, depth),
        other => Err(format!("{} has no form in a .mat file", other.kind()).into()),
    }
}

fn put_text(bytes: &mut Vec<u8>, name: &str, text: &str) -> Result<(), Failure> {
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    // MATLAB's empty text has no rows.
    let dims = if units.is_empty() { [0, 0] } else { [1, units.len() / 2] };
    put_matrix(bytes, name, (class::CHAR, 0), &dims, |bytes| put(bytes, mi::UTF16, &units))
}

fn put_cell(
    bytes: &mut Vec<u8>,
    name: &str,
    dims: &[usize],
    items: &[Value],
    depth: usize,
) -> Result<(), Failure> {
    put_matrix(bytes, name, (class::CELL, 0), dims, |bytes| {
        items.iter().try_for_each(|item| put_value(bytes, "", item, depth + 1))
    })
}

fn put_array(
    bytes: &mut Vec<u8>,
    name: &str,
    value: &Value,
    object: &dyn ArrayObject,
    depth: usize,
) -> Result<(), Failure> {
    let truths = object.is_mask();
    // MATLAB stores columns one after the other.
    let turned = match object.dims().len() {
        0 | 1 => value.clone(),
        rank => {
            let order = ArrayBuf::ints((0..rank).rev()).into();
            super::super::call("shuffledims", &[value.clone(), order], 1, ElementType::Single)?.remove(0)
        }
    };
    let Value::Array(turned) = turned else { return Err("an array became something else".into()) };
    // Items of a cell are cloned handles, so that a cell that contains itself is not locked while it is walked.
    let items = array::read(&*turned, |view| {
        let mut dims = view.dims.to_vec();
        dims.reverse();
        if let DataRef::Values(items) = view.data {
            return Ok(Some((dims, array::duplicate(items)?)));
        }
        put_numbers(bytes, name, ArrayRef { dims: &dims, data: view.data }, truths)?;
        Ok::<_, Failure>(None)
    })?;
    match items {
        Some((dims, items)) => put_cell(bytes, name, &dims, &items, depth),
        None => Ok(()),
    }
}

/// Numbers that lie in the order of columns.
fn put_numbers(bytes: &mut Vec<u8>, name: &str, view: ArrayRef<'_>, truths: bool) -> Result<(), Failure> {
    let ty = view.data.element_type().ok_or("cells are no arrays of numbers")?;
    if truths {
        let truths: Vec<u8> = (0..view.data.len())
            .map(|k| u8::from(view.data.scalar(k).is_some_and(|x| x.as_f64() != 0.0)))
            .collect();
        let kind = (class::UINT8, flag::LOGICAL);
        return put_matrix(bytes, name, kind, view.dims, |bytes| put(bytes, mi::UINT8, &truths));
    }
    let (kind, stored) = match ty {
        ElementType::Int8 => (class::INT8, mi::INT8),
        ElementType::Int16 => (class::INT16, mi::INT16),
        ElementType::Int32 => (class::INT32, mi::INT32),
        ElementType::Int64 => (class::INT64, mi::INT64),
        ElementType::UInt8 => (class::UINT8, mi::UINT8),
        ElementType::UInt16 => (class::UINT16, mi::UINT16),
        ElementType::UInt32 => (class::UINT32, mi::UINT32),
        ElementType::UInt64 => (class::UINT64, mi::UINT64),
        ElementType::Single | ElementType::ComplexSingle => (class::SINGLE, mi::SINGLE),
        ElementType::Double | ElementType::ComplexDouble => (class::DOUBLE, mi::DOUBLE),
        ElementType::Half => {
            return Err(
                "numbers with half precision have no form in a .mat file; convert them to `scalar`".into()
            );
        }
    };
    let flags = if ty.is_complex() { flag::COMPLEX } else { 0 };
    put_matrix(bytes, name, (kind, flags), view.dims, |bytes| {
        for part in parts(view.data)? {
            put(bytes, stored, &part)?;
        }
        Ok(())
    })
}

/// The bytes of the numbers; of complex ones first the real parts, then the imaginary ones.
fn parts(data: DataRef<'_>) -> Result<Vec<Vec<u8>>, Failure> {
    fn of<T: Stored>(elements: &[T]) -> Result<Vec<u8>, Failure> {
        let mut bytes = array::reserve(size_of_val(elements))?;
        elements.iter().for_each(|x| x.put(&mut bytes));
        Ok(bytes)
    }
    fn two<T: Stored + Copy>(elements: &[Complex<T>]) -> Result<Vec<Vec<u8>>, Failure> {
        let (mut re, mut im) =
            (array::reserve(elements.len() * T::SIZE)?, array::reserve(elements.len() * T::SIZE)?);
        for x in elements {
            x.re.put(&mut re);
            x.im.put(&mut im);
        }
        Ok(vec![re, im])
    }
    match data {
        DataRef::C32(elements) => return two(elements),
        DataRef::C64(elements) => return two(elements),
        _ => {}
    }
    macro_rules! arms {
        ($($variant:ident $type:ty),*) => {
            match data {
                $(DataRef::$variant(elements) => Ok(vec![of(elements)?]),)*
                DataRef::Values(_) => Ok(Vec::new()),
            }
        };
    }
    for_types!(arms)
}

/// An object without a class.
fn put_structure(bytes: &mut Vec<u8>, name: &str, object: &dyn Object, depth: usize) -> Result<(), Failure> {
    let fields = object.fields();
    if object.type_name() != super::super::value_file::DYNAMIC_CLASS {
        let text = format!(
            "an object of the class '{}' would become a structure without one; put its fields into an `object()`",
            object.type_name()
        );
        return Err(text.into());
    }
    fields.iter().try_for_each(|(name, _)| check_name(name))?;
    let width = LONGEST_NAME + 1;
    put_matrix(bytes, name, (class::STRUCT, 0), &[1, 1], |bytes| {
        put(bytes, mi::INT32, &(width as u32).to_le_bytes())?;
        let mut names = Vec::new();
        for (k, (name, _)) in fields.iter().enumerate() {
            names.extend_from_slice(name.as_bytes());
            names.resize((k + 1) * width, 0);
        }
        put(bytes, mi::INT8, &names)?;
        fields.iter().try_for_each(|(_, value)| put_value(bytes, "", value, depth + 1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_devicelib::element::Scalar;
    use quasar_devicelib::value::Record;

    #[test]
    fn elements_end_at_multiples_of_eight() {
        for length in 0..20usize {
            let mut bytes = Vec::new();
            assert!(put(&mut bytes, mi::INT8, &vec![7; length]).is_ok());
            assert!(bytes.len().is_multiple_of(8));
            assert_eq!(
                bytes.len(),
                if (1..=4).contains(&length) { 8 } else { 8 + length.next_multiple_of(8) }
            );
        }
    }

    #[test]
    fn names_are_those_of_matlab() {
        let refused = |value: Value| match bytes(&[value]) {
            Err(Failure::File(message)) => message,
            _ => String::new(),
        };
        let object = |class: &str, name: &str, x: Value| {
            Value::Object(Record::new(class, true, vec![(name.into(), x)]))
        };
        let one = || Value::Scalar(Scalar::I32(1));
        assert!(refused(object("object", "_a", one())).contains("'_a' is no name in MATLAB"));
        assert!(refused(object("object", &"a".repeat(64), one())).contains("at most 63"));
        let inner = object("object", "a", object("point", "x", one()));
        assert!(refused(inner).contains("class 'point'"));
        assert!(refused(Value::Null).contains("has no form in a .mat file"));
    }
}
