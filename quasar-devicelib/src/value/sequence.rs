//! Sequences `a..s..b` and evenly spaced vectors.

use super::array::{self, ArrayElement, with_promoted};
use super::convert::convert_scalar;
use super::error::{ErrorKind, ValueError};
use super::{ArrayBuf, Value};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::ops::Number;

/// The tolerance of the number of elements when a part is not an integer.
pub const TOLERANCE: f64 = 1e-6;

/// What is said of a sequence that does not get on.
pub const ZERO_STEP: &str = "the step of a sequence must not be 0";
/// What is said of a sequence of places such as `-0.5..1`, of which two are the same one.
pub const NEGATIVE_FRACTION: &str = "a sequence of indices starts at a whole number where it is negative";
/// What is said of a sequence with a part that is infinite or no number.
pub const NOT_FINITE: &str = "the parts of a sequence must be finite";

fn zero_step() -> ValueError {
    ValueError::new(ErrorKind::Argument, ZERO_STEP)
}

/// The number of elements of `a..s..b` for integers.
pub fn count_integers(a: i64, s: i64, b: i64) -> Result<usize, ValueError> {
    if s == 0 {
        return Err(zero_step());
    }
    let distance = if s < 0 { i128::from(a) - i128::from(b) } else { i128::from(b) - i128::from(a) };
    let steps = distance.div_euclid(i128::from(s.unsigned_abs()));
    Ok(usize::try_from((steps + 1).max(0)).unwrap_or(usize::MAX))
}

/// The number of elements of `a..s..b` for floats.
pub fn count_floats(a: f64, s: f64, b: f64) -> Result<usize, ValueError> {
    if s == 0.0 {
        return Err(zero_step());
    }
    if !(a.is_finite() && s.is_finite() && b.is_finite()) {
        return Err(ValueError::new(ErrorKind::Argument, NOT_FINITE));
    }
    Ok((((b - a) / s + TOLERANCE).floor() + 1.0).max(0.0) as usize)
}

/// The number of elements of `a..s..b`.
pub fn count(a: Scalar, s: Scalar, b: Scalar) -> Result<usize, ValueError> {
    if [a, s, b].iter().all(|x| x.element_type().is_integer()) {
        count_integers(a.as_i64(), s.as_i64(), b.as_i64())
    } else {
        count_floats(a.as_f64(), s.as_f64(), b.as_f64())
    }
}

/// The element type of `a..s..b`.
pub fn element_type(a: Scalar, s: Scalar, b: Scalar) -> Result<ElementType, ValueError> {
    let ty = promote(promote(a.element_type(), s.element_type()), b.element_type());
    if ty.is_complex() {
        return Err(ValueError::wrong_type("sequence", "real numbers", ty.name()));
    }
    Ok(ty)
}

/// The vec `a..s..b`: element i is `a + i*s` in the element type.
pub fn sequence(a: Scalar, s: Scalar, b: Scalar) -> Result<ArrayBuf, ValueError> {
    fn typed<T: ArrayElement + Number>(a: Scalar, s: Scalar, count: usize) -> Result<ArrayBuf, ValueError> {
        let part = |x: Scalar| -> Result<T, ValueError> {
            Ok(T::from_scalar(convert_scalar(x, T::TYPE, Overflow::Wrap)?).unwrap_or_default())
        };
        let (first, step) = (part(a)?, part(s)?);
        let mut elements = array::reserve(count)?;
        for i in 0..count as i64 {
            let i = T::from_scalar(Scalar::from_i64(i, T::TYPE)).unwrap_or_default();
            elements.push(first.add(i.multiply(step)));
        }
        Ok(ArrayBuf::vec(elements))
    }
    let ty = element_type(a, s, b)?;
    let count = count(a, s, b)?;
    with_promoted!(ty, T => typed::<T>(a, s, count))
}

/// A sequence from values, which must be numbers. The step is 1 if there is none.
pub fn from_values(a: &Value, s: Option<&Value>, b: &Value) -> Result<Value, ValueError> {
    let number =
        |x: &Value| x.as_scalar().ok_or_else(|| ValueError::wrong_type("sequence", "numbers", &x.kind()));
    let (a, b) = (number(a)?, number(b)?);
    let step = s.map_or(Ok(Scalar::from_i64(1, a.element_type())), number)?;
    Ok(sequence(a, step, b)?.into())
}

/// A sequence of places in an array, from values. Their fractions are cut off, which is not in one direction where it starts at a
/// negative fraction; a step with a fraction makes a list of places, which may be the same.
pub fn places(a: &Value, s: Option<&Value>, b: &Value) -> Result<Value, ValueError> {
    let places = from_values(a, s, b)?;
    let fraction = |x: &Value| x.as_scalar().map_or(0.0, |x| x.as_f64().fract());
    let negative = a.as_scalar().is_some_and(|a| a.as_f64() < 0.0);
    if negative && fraction(a) != 0.0 && s.is_none_or(|s| fraction(s) == 0.0) {
        return Err(ValueError::new(ErrorKind::Argument, NEGATIVE_FRACTION));
    }
    Ok(places)
}

/// `n` numbers from `a` to `b`, both included.
pub fn linspace(a: f64, b: f64, n: usize) -> Result<Vec<f64>, ValueError> {
    array::collect(n, (0..n).map(|i| evenly_spaced_at(a, b, n, i)))
}

/// Number `i` of `n` numbers from `a` to `b`, both included.
pub fn evenly_spaced_at(a: f64, b: f64, n: usize, i: usize) -> f64 {
    let last = n.saturating_sub(1) as f64;
    if i + 1 == n { b } else { a + (b - a) * (i as f64 / last) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::format::print;

    #[test]
    fn sequences_include_both_ends() {
        let seq = |a, s, b| print(&sequence(a, s, b).unwrap().into());
        let int = Scalar::I32;
        assert_eq!(seq(int(1), int(1), int(4)), "[1,2,3,4]");
        assert_eq!(seq(int(1), int(2), int(10)), "[1,3,5,7,9]");
        assert_eq!(seq(int(5), int(1), int(3)), "[]");
        assert_eq!(seq(int(5), int(-2), int(0)), "[5,3,1]");
        assert_eq!(seq(int(0), int(-2), int(5)), "[]");
        assert_eq!(
            seq(Scalar::F32(0.0), Scalar::F32(0.1), int(1)),
            "[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1]"
        );
        assert_eq!(seq(int(1), Scalar::F64(-0.5), int(0)), "[1,0.5,0]");
        assert!(sequence(int(1), int(0), int(2)).is_err());
        assert!(sequence(int(1), Scalar::F32(f32::NAN), int(2)).is_err());
        assert!(sequence(Scalar::I64(i64::MIN), Scalar::I64(1), Scalar::I64(i64::MAX)).is_err());
        assert_eq!(sequence(int(1), int(1), int(2)).unwrap().data.element_type(), Some(ElementType::Int32));
    }

    #[test]
    fn linspace_is_exact_at_the_ends() {
        assert_eq!(linspace(1.0, 2.0, 5).unwrap(), [1.0, 1.25, 1.5, 1.75, 2.0]);
        assert_eq!(linspace(1.0, 2.0, 1).unwrap(), [2.0]);
        assert!(linspace(1.0, 2.0, 0).unwrap().is_empty());
    }
}
