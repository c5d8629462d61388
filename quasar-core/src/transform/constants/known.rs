//! Compile-time evaluation of small arrays of numbers, such as `[1, 2, 1] / 4`.

use crate::ir::build::element_of;
use crate::ir::{Expr, ExprKind, Range};
use crate::target::any::REGISTER_ARRAY;
use crate::types::{Overflow, Type};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::ops::{Row, convert_scalar};
use quasar_devicelib::value::reduce;

/// A number (empty `sizes`) or an array, in row-major order.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) sizes: Vec<usize>,
    pub(super) values: Vec<Scalar>,
}

/// Zeros of different sign are different values.
impl PartialEq for Known {
    fn eq(&self, other: &Known) -> bool {
        let mut pairs = self.values.iter().zip(&other.values);
        let same = |(a, b): (&Scalar, &Scalar)| a == b && a.as_f64().to_bits() == b.as_f64().to_bits();
        self.sizes == other.sizes && pairs.all(same)
    }
}

impl Known {
    fn number(value: Scalar) -> Known {
        Known { sizes: Vec::new(), values: vec![value] }
    }

    /// The offset of an element in `values`, if the index is in range.
    pub(super) fn place(&self, index: &[i32]) -> Option<usize> {
        index.iter().zip(&self.sizes).try_fold(0, |place, (at, size)| {
            usize::try_from(*at).ok().filter(|at| at < size).map(|at| place * size + at)
        })
    }

    fn converted(self, ty: &Type) -> Option<Known> {
        let (element, overflow) = number_type(ty)?;
        let values = self.values.into_iter().map(|value| convert_scalar(value, element, overflow).ok());
        Some(Known { sizes: self.sizes, values: values.collect::<Option<_>>()? })
    }

    fn fits(&self, ty: &Type) -> bool {
        let rank = match ty {
            Type::Array(array) => array.known_rank(),
            _ => Some(0),
        };
        let element = element_of(ty);
        // NaN is excluded: an array with a NaN element would not equal itself.
        let plain = |value: &Scalar| {
            let ty = value.element_type();
            Some(ty) == element && !ty.is_complex() && !value.as_f64().is_nan()
        };
        rank == Some(self.sizes.len())
            && (1..=REGISTER_ARRAY).contains(&self.values.len())
            && self.values.iter().all(plain)
    }
}

/// Whether a type is an array of few enough numbers, as far as its extents are known.
pub(super) fn is_small(ty: &Type) -> bool {
    let Type::Array(array) = ty else { return false };
    let sizes = array.sizes.iter().flatten();
    let count = sizes.fold(1usize, |count, size| count.saturating_mul(*size as usize));
    count <= REGISTER_ARRAY && matches!(*array.element, Type::Scalar(..))
}

fn number_type(ty: &Type) -> Option<(ElementType, Overflow)> {
    match ty {
        Type::Scalar(element, overflow) => Some((*element, *overflow)),
        Type::Array(array) => match *array.element {
            Type::Scalar(element, overflow) => Some((element, overflow)),
            _ => None,
        },
        _ => None,
    }
}

/// The value of an expression, if it is known. `look_up` provides the values of variables.
pub(super) fn known(expr: &Expr, look_up: &dyn Fn(&Expr) -> Option<Known>) -> Option<Known> {
    if matches!(expr.ty, Type::Array(_)) && !is_small(&expr.ty) {
        return None;
    }
    let all = |args: &[Expr]| args.iter().map(|arg| known(arg, look_up)).collect::<Option<Vec<_>>>();
    let found = match &expr.kind {
        ExprKind::Constant(value) => Known::number(*value),
        ExprKind::Local(_) | ExprKind::Global(_) => look_up(expr)?,
        ExprKind::Array(items) => stacked(all(items)?)?,
        ExprKind::Convert(inner) => known(inner, look_up)?.converted(&expr.ty)?,
        ExprKind::Apply { row, args } => applied(row, &all(args)?)?,
        ExprKind::Sequence(range) => sequence(range)?,
        ExprKind::Reduce { row, arg, axis: None } if row.name == "add" => total(row, &known(arg, look_up)?)?,
        ExprKind::Library { name: name @ ("zeros" | "ones"), args } => {
            filled(i64::from(*name == "ones"), &all(args)?, &expr.ty)?
        }
        _ => return None,
    };
    found.fits(&expr.ty).then_some(found)
}

fn stacked(items: Vec<Known>) -> Option<Known> {
    let inner = items.first()?.sizes.clone();
    if items.iter().any(|item| item.sizes != inner) {
        return None;
    }
    let sizes = std::iter::once(items.len()).chain(inner).collect();
    Some(Known { sizes, values: items.into_iter().flat_map(|item| item.values).collect() })
}

/// Elementwise application; scalars are broadcast.
fn applied(row: &Row, args: &[Known]) -> Option<Known> {
    let arrays = || args.iter().filter(|arg| !arg.sizes.is_empty());
    let sizes = arrays().next().map(|arg| arg.sizes.clone()).unwrap_or_default();
    if arrays().any(|arg| arg.sizes != sizes) {
        return None;
    }
    let element = |k: usize| {
        let part = |arg: &Known| if arg.sizes.is_empty() { arg.values[0] } else { arg.values[k] };
        (row.eval)(&args.iter().map(part).collect::<Vec<_>>())
    };
    let count = sizes.iter().product();
    Some(Known { sizes, values: (0..count).map(element).collect() })
}

/// A range of integers; other ranges have rounding rules of their own.
fn sequence(range: &Range) -> Option<Known> {
    let values: Vec<Scalar> = crate::transform::kernel::rounds(range)?.into_iter().map(Scalar::I32).collect();
    Some(Known { sizes: vec![values.len()], values })
}

/// The sum, added in the library's order.
fn total(row: &Row, array: &Known) -> Option<Known> {
    let single = |value: &Scalar| if let Scalar::F32(x) = value { Some(*x) } else { None };
    let double = |value: &Scalar| if let Scalar::F64(x) = value { Some(*x) } else { None };
    let values = &array.values;
    Some(Known::number(match values.first()? {
        Scalar::F32(_) => Scalar::F32(reduce::sum(&values.iter().map(single).collect::<Option<Vec<_>>>()?)),
        Scalar::F64(_) => Scalar::F64(reduce::sum(&values.iter().map(double).collect::<Option<Vec<_>>>()?)),
        first @ Scalar::I32(_) => values[1..].iter().fold(*first, |sum, value| (row.eval)(&[sum, *value])),
        _ => return None,
    }))
}

fn filled(value: i64, sizes: &[Known], ty: &Type) -> Option<Known> {
    let size = |arg: &Known| match arg.values[..] {
        [Scalar::I32(size)] if arg.sizes.is_empty() => usize::try_from(size).ok(),
        _ => None,
    };
    let sizes: Vec<usize> = sizes.iter().map(size).collect::<Option<_>>()?;
    let count =
        sizes.iter().try_fold(1usize, |n, size| n.checked_mul(*size)).filter(|n| *n <= REGISTER_ARRAY)?;
    let (element, _) = number_type(ty)?;
    Some(Known { sizes, values: vec![Scalar::from_i64(value, element); count] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build;
    use crate::source::Span;
    use quasar_devicelib::ops::find;

    fn vector(values: &[i32]) -> Expr {
        let items = values.iter().map(|value| build::int(*value, Span::default())).collect();
        let ty = build::sized_type(build::int_type(), vec![Some(values.len() as u32)]);
        Expr::new(ExprKind::Array(items), ty, Span::default())
    }

    fn apply(name: &str, args: Vec<Expr>) -> Expr {
        let ty = args[0].ty.clone();
        build::apply(find(name).expect("a row"), args, ty, Span::default())
    }

    #[test]
    fn numbers_stand_for_arrays_of_them() {
        let sum = apply("add", vec![vector(&[1, 2]), build::int(10, Span::default())]);
        let known = known(&sum, &|_| None).expect("its elements");
        assert_eq!((known.sizes, known.values), (vec![2], vec![Scalar::I32(11), Scalar::I32(12)]));
    }

    #[test]
    fn large_arrays_and_unknown_variables_are_not_known() {
        assert!(known(&vector(&[1; 64]), &|_| None).is_some());
        assert!(known(&vector(&[1; 65]), &|_| None).is_none());
        let mut body = crate::ir::Body::default();
        let v = body.temporary(vector(&[1, 2]).ty, Span::default());
        let sum = apply("add", vec![vector(&[1, 2]), body.read(v, Span::default())]);
        assert!(known(&sum, &|_| None).is_none());
    }

    #[test]
    fn zeros_of_different_signs_are_different() {
        let zero = |x: f32| Known::number(Scalar::F32(x));
        assert!(zero(0.0) == zero(0.0) && zero(0.0) != zero(-0.0));
    }

    #[test]
    fn elements_lie_row_by_row() {
        let known = Known { sizes: vec![2, 3], values: vec![Scalar::I32(0); 6] };
        assert_eq!(
            (known.place(&[1, 2]), known.place(&[0, 3]), known.place(&[-1, 0])),
            (Some(5), None, None)
        );
    }
}
