//! Strings.

use super::{ANY, Call, Function, function};
use crate::element::{Overflow, Scalar};
use crate::value::convert::convert_scalar;
use crate::value::text::{self, TextBuf};
use crate::value::{ArrayBuf, ErrorKind, Value, ValueError, array, format, printf};

pub(super) static FUNCTIONS: &[Function] = &[
    function("sprintf", 1, ANY, |c| one(text::value(&c.formatted(0)?))),
    function("strcat", 0, ANY, |c| one(text::value(&format::joined(c.args)?))),
    function("strjoin", 1, 2, strjoin),
    function("strtrim", 1, 1, |c| one(text::value(c.text(0)?.trim()))),
    function("startswith", 2, 2, |c| Ok(vec![Value::int(c.text(0)?.starts_with(c.text(1)?).into())])),
    function("endswith", 2, 2, |c| Ok(vec![Value::int(c.text(0)?.ends_with(c.text(1)?).into())])),
    function("strlen", 1, 1, |c| Ok(vec![Value::int(c.text(0)?.chars().count() as i64)])),
    function("str2num", 1, 1, str2num),
    function("num2str", 1, 1, |c| one(text::value(&format::joined(&c.args[..1])?))),
    function("tostring", 1, 1, |c| one(text::value(&format::joined(&c.args[..1])?))),
    function("string", 1, 1, |c| one(text::value(&format::joined(&c.args[..1])?))),
    function("strfind", 2, 2, strfind),
    function("strreplace", 3, 3, strreplace),
    function("strsplit", 2, 2, strsplit),
    function("upper", 1, 1, |c| one(text::of_characters(c.text(0)?.chars().flat_map(char::to_uppercase)))),
    function("lower", 1, 1, lower),
    function("substr", 2, 3, substr),
    function("fromascii", 1, 1, from_text),
    function("fromunicode", 1, 1, from_text),
    function("toascii", 1, 1, to_text),
    function("tounicode", 1, 1, to_text),
    function("hash", 1, 1, hash),
];

impl Call<'_> {
    /// The format in argument `first` applied to the arguments after it.
    pub(super) fn formatted(&self, first: usize) -> Result<String, ValueError> {
        printf::format(self.name, self.text(first)?, &self.args[first + 1..])
    }
}

fn one(value: Result<Value, ValueError>) -> Result<Vec<Value>, ValueError> {
    Ok(vec![value?])
}

/// The texts of the elements of a cell or vector, as `print` shows them, with a separator between.
fn strjoin(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let items = match c.args[0].cell_items()? {
        Some(items) => items,
        None if !matches!(c.args[0], Value::Array(_)) => return Err(c.wrong(0, "a cell or a vector")),
        None => c.view(0, |view| {
            let scalars = (0..view.data.len()).filter_map(|k| view.data.scalar(k).map(Value::Scalar));
            array::collect(view.data.len(), scalars)
        })?,
    };
    let separator = if c.args.len() == 2 { c.text(1)? } else { "" };
    let mut made = TextBuf::new();
    for (k, item) in items.iter().enumerate() {
        if k > 0 {
            made.push_str(separator);
        }
        made.push_str(&format::joined(std::slice::from_ref(item))?);
    }
    one(made.into_value())
}

/// As the library of Rust does it, which knows where a sigma ends a word.
fn lower(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let text = c.text(0)?;
    // No character becomes more than three times as long.
    let room = text.len().saturating_mul(3);
    array::reserve::<u8>(room).map_err(|_| ValueError::no_text_memory(room))?;
    one(text::value(&text.to_lowercase()))
}

/// A number of 31 bits that is the same for equal values.
fn hash(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let code = hash_of(&c.args[0]).ok_or_else(|| c.wrong(0, "a number, a text or an array of numbers"))?;
    Ok(vec![Value::int((code >> 33) as i64)])
}

fn hash_of(value: &Value) -> Option<u64> {
    let numbers = |count: usize, scalar: &dyn Fn(usize) -> Option<Scalar>| {
        (0..count).try_fold(count as u64, |code, k| Some(mixed(code ^ bits(scalar(k)?))))
    };
    match value {
        Value::Text(text) => Some(text.bytes().fold(1, |code, byte| mixed(code ^ u64::from(byte)))),
        Value::Array(a) if a.element_type().is_some() => {
            array::read(&**a, |view| numbers(view.data.len(), &|k| view.data.scalar(k)))
        }
        other => Some(mixed(bits(other.as_scalar()?))),
    }
}

/// The same bits for equal numbers of any type.
fn bits(x: Scalar) -> u64 {
    // -0 equals 0.
    (x.as_f64() + 0.0).to_bits() ^ (x.imaginary() + 0.0).to_bits().rotate_left(32)
}

/// Spreads differences over all bits.
fn mixed(x: u64) -> u64 {
    let x = (x ^ (x >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (x ^ (x >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d)
}

fn str2num(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let text = c.text(0)?.trim();
    let x = match text.to_ascii_lowercase().trim_start_matches('+') {
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        "nan" => f64::NAN,
        digits if digits.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') => {
            digits.parse().map_err(|_| c.error(format!("\"{text}\" is not a number")))?
        }
        _ => return Err(c.error(format!("\"{text}\" is not a number"))),
    };
    let working = c.working();
    Ok(vec![Value::Scalar(convert_scalar(Scalar::F64(x), working, Overflow::Wrap)?)])
}

/// Where a text occurs first, counted in characters, or -1.
fn strfind(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (text, part) = (c.text(0)?, c.text(1)?);
    let place = text.find(part).map_or(-1, |byte| text[..byte].chars().count() as i64);
    Ok(vec![Value::int(place)])
}

fn strreplace(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (text, old, new) = (c.text(0)?, c.text(1)?, c.text(2)?);
    if old.is_empty() {
        return Ok(vec![c.args[0].clone()]);
    }
    let mut made = TextBuf::new();
    for (k, part) in text.split(old).enumerate() {
        if k > 0 {
            made.push_str(new);
        }
        made.push_str(part);
    }
    one(made.into_value())
}

fn strsplit(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (text, separator) = (c.text(0)?, c.text(1)?);
    if separator.is_empty() {
        return Err(c.error("the separator is empty"));
    }
    let mut parts = array::reserve(text.split(separator).count())?;
    for part in text.split(separator) {
        parts.push(text::value(part)?);
    }
    Ok(vec![Value::cell(parts)])
}

/// `substr(s, start, length)`; without a length up to the end.
fn substr(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let start = c.count(1)?;
    let length = if c.args.len() == 3 { c.count(2)? } else { usize::MAX };
    one(text::of_characters(c.text(0)?.chars().skip(start).take(length)))
}

fn from_text(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let text = c.text(0)?;
    let codes = array::collect(text.chars().count(), text.chars().map(|x| x as i32))?;
    Ok(vec![ArrayBuf::vec(codes).into()])
}

fn to_text(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let codes = c.integers(0)?;
    let mut text = TextBuf::new();
    for code in codes {
        let character = u32::try_from(code).ok().and_then(char::from_u32);
        let wrong = || ValueError::new(ErrorKind::Argument, format!("{}: {code} is not a character", c.name));
        text.push(character.ok_or_else(wrong)?);
    }
    one(text.into_value())
}
