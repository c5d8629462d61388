//! Subtyping, implicit conversions, and their cost in overload resolution.

use super::{ArrayType, ElementType, FunctionType, Rank, Type};
use crate::syntax::ast::FunctionKind;

/// How a value of one type implicitly converts to another type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// The types are equal.
    Same,
    /// A subtype; the number counts dropped size constraints and raised ranks.
    Subtype(u32),
    /// A numeric conversion that preserves the value's meaning.
    Promote,
    /// A lossy numeric conversion, with a warning (`scalar` to `int`).
    Truncate,
    /// Elements of an array are converted into a copy.
    Elements,
    /// Needs a run-time check: from `??`, from fewer known sizes, from a mat to a vec.
    Checked,
    /// Into `??`.
    Erase,
}

impl Conversion {
    /// The cost in overload resolution.
    pub fn cost(self) -> u32 {
        match self {
            Conversion::Same => 0,
            Conversion::Subtype(cost) => cost,
            Conversion::Promote => 3,
            Conversion::Elements => 6,
            Conversion::Truncate => 8,
            Conversion::Checked | Conversion::Erase => 10,
        }
    }
}

/// The cost of the conversion `how` of a value in overload resolution. Elements that are converted do not hide that the shape is
/// another one as well: of `mat` and `cube` a matrix of integers takes `mat`.
pub fn cost(from: &Type, to: &Type, how: Conversion) -> u32 {
    let shape = match (how, from, to) {
        (Conversion::Elements, Type::Array(from), Type::Array(to)) => {
            shapes(from, to).map_or(0, Conversion::cost)
        }
        _ => 0,
    };
    how.cost() + shape
}

/// `from ≤ to`, without conversions.
pub fn is_subtype(from: &Type, to: &Type) -> bool {
    matches!(conversion(from, to), Some(Conversion::Same | Conversion::Subtype(_) | Conversion::Erase))
}

/// The conversion from `from` to `to`, if there is one.
pub fn conversion(from: &Type, to: &Type) -> Option<Conversion> {
    if from == to || matches!(from, Type::Error) || matches!(to, Type::Error) {
        return Some(Conversion::Same);
    }
    match (from, to) {
        (Type::Unit, _) | (_, Type::Unit) => None,
        (_, Type::Dynamic) => Some(Conversion::Erase),
        (Type::Dynamic, _) => Some(Conversion::Checked),
        (Type::Scalar(a, _), Type::Scalar(b, _)) => scalars(*a, *b),
        (Type::Enum(_), Type::Scalar(b, _)) => scalars(ElementType::Int32, *b),
        (Type::Array(a), Type::Array(b)) => arrays(a, b),
        (Type::Tuple(parts), Type::Array(array)) => tuple_to_array(parts, array),
        (Type::Tuple(a), Type::Tuple(b)) if a.len() == b.len() => {
            let costs: Option<Vec<u32>> =
                a.iter().zip(b).map(|(a, b)| conversion(a, b).map(Conversion::cost)).collect();
            Some(Conversion::Subtype(costs?.into_iter().max().unwrap_or(0)))
        }
        (Type::Function(a), Type::Function(b)) => functions(a, b).then_some(Conversion::Subtype(1)),
        // Whether a closure has the function type is determined by instantiating it.
        (Type::Closure(_) | Type::Choice(_), Type::Function(_)) => Some(Conversion::Subtype(1)),
        (Type::Closure(_) | Type::Choice(_), Type::Choice(candidates)) => {
            from.functions().iter().all(|f| candidates.contains(f)).then_some(Conversion::Subtype(1))
        }
        (Type::Null, Type::Pointer(_)) => Some(Conversion::Subtype(1)),
        (Type::Class(a), Type::Class(b)) | (Type::Pointer(a), Type::Pointer(b)) => {
            a.steps_to(b).map(Conversion::Subtype)
        }
        (Type::Class(a), Type::Pointer(b)) => a.steps_to(b).map(|steps| Conversion::Subtype(steps + 1)),
        // Converting a pointer to an object checks for `nullptr`.
        (Type::Pointer(a), Type::Class(b)) => a.steps_to(b).map(|_| Conversion::Checked),
        _ => None,
    }
}

fn scalars(from: ElementType, to: ElementType) -> Option<Conversion> {
    if from == to {
        return Some(Conversion::Same);
    }
    if from.is_complex() && !to.is_complex() {
        return None;
    }
    if to.is_integer() && !from.is_integer() {
        return Some(Conversion::Truncate);
    }
    Some(Conversion::Promote)
}

fn arrays(from: &ArrayType, to: &ArrayType) -> Option<Conversion> {
    let shape = shapes(from, to)?;
    let elements = match (&*from.element, &*to.element) {
        (a, b) if a == b => Conversion::Same,
        (Type::Scalar(a, _), Type::Scalar(b, _)) if a == b => Conversion::Same,
        (_, Type::Dynamic) => Conversion::Subtype(4),
        (Type::Scalar(a, _), Type::Scalar(b, _)) => {
            scalars(*a, *b).map(|c| if c == Conversion::Truncate { c } else { Conversion::Elements })?
        }
        (Type::Dynamic, _) => Conversion::Checked,
        (Type::Enum(_), Type::Scalar(ElementType::Int32, _)) => Conversion::Same,
        // Mutable arrays are invariant in their element class.
        (Type::Class(_) | Type::Pointer(_), _) | (_, Type::Class(_) | Type::Pointer(_)) => return None,
        (Type::Array(a), Type::Array(b)) => match arrays(a, b)? {
            Conversion::Same => Conversion::Same,
            Conversion::Subtype(cost) => Conversion::Subtype(cost),
            _ => Conversion::Checked,
        },
        (a, b) => conversion(a, b)?,
    };
    Some(match (shape, elements) {
        (Conversion::Same, other) | (other, Conversion::Same) => other,
        (Conversion::Subtype(a), Conversion::Subtype(b)) => Conversion::Subtype(a + b),
        (a, b) => {
            if a.cost() > b.cost() {
                a
            } else {
                b
            }
        }
    })
}

fn shapes(from: &ArrayType, to: &ArrayType) -> Option<Conversion> {
    let (Some(low), Some(high)) = (from.known_rank(), to.known_rank()) else {
        return Some(match (from.rank, to.rank) {
            (Rank::Any, Rank::Any) => Conversion::Same,
            (Rank::Known(_), _) => Conversion::Subtype(2),
            (Rank::Any, Rank::Known(_)) => Conversion::Checked,
        });
    };
    if low > high {
        // A single row or column may become a vec, and trailing dimensions of extent 1 may be dropped.
        let possible = (high..low).rev().all(|axis| axis < 2 || matches!(from.sizes[axis], None | Some(1)));
        let row_or_column = high != 1 || {
            let long = from.sizes.iter().filter(|size| matches!(size, Some(n) if *n != 1)).count();
            long <= 1
        };
        return (possible && row_or_column).then_some(Conversion::Checked);
    }
    let raised = super::shape::raise(&from.sizes, high);
    let mut lost = 0;
    let mut check = false;
    for (have, want) in raised.iter().zip(&to.sizes) {
        match (have, want) {
            (Some(a), Some(b)) if a != b => return None,
            (None, Some(_)) => check = true,
            (Some(_), None) => lost = 1,
            _ => {}
        }
    }
    Some(match (check, low < high, lost) {
        (true, ..) => Conversion::Checked,
        (false, false, 0) => Conversion::Same,
        (false, raised, lost) => Conversion::Subtype(lost + if raised { 2 } else { 0 }),
    })
}

fn tuple_to_array(parts: &[Type], to: &ArrayType) -> Option<Conversion> {
    if to.known_rank() != Some(1) && to.rank != Rank::Any {
        return None;
    }
    if let Some(Some(length)) = to.sizes.first()
        && *length as usize != parts.len()
    {
        return None;
    }
    let costs: Option<Vec<u32>> =
        parts.iter().map(|part| conversion(part, &to.element).map(Conversion::cost)).collect();
    Some(Conversion::Subtype(4 + costs?.into_iter().max().unwrap_or(0)))
}

fn functions(from: &FunctionType, to: &FunctionType) -> bool {
    let kinds = from.kind == to.kind || (from.kind == FunctionKind::Device && to.kind == FunctionKind::Host);
    kinds
        && from.params.len() == to.params.len()
        && from.results.len() == to.results.len()
        && from.params.iter().zip(&to.params).all(|(a, b)| a.0 == b.0 && is_subtype(&b.1, &a.1))
        && from.results.iter().zip(&to.results).all(|(a, b)| is_subtype(a, b))
}

/// Whether values of a type can be distinguished at run time.
pub fn is_tested_at_run_time(ty: &Type) -> bool {
    match ty {
        Type::Array(array) => match &*array.element {
            Type::Scalar(..) | Type::Dynamic | Type::Text => true,
            element => matches!(element, Type::Array(_)) && is_tested_at_run_time(element),
        },
        Type::Scalar(..) | Type::Text | Type::Dynamic | Type::Class(_) | Type::Pointer(_) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mat(sizes: &[Option<u32>]) -> Type {
        Type::numbers(ElementType::Single, sizes)
    }

    #[test]
    fn sized_arrays_are_unsized_arrays() {
        assert!(is_subtype(&mat(&[Some(3)]), &mat(&[None])));
        assert!(is_subtype(&mat(&[Some(2), Some(3)]), &mat(&[None, Some(3)])));
        assert!(!is_subtype(&mat(&[None]), &mat(&[Some(3)])));
        assert_eq!(conversion(&mat(&[Some(2)]), &mat(&[Some(3)])), None);
    }

    #[test]
    fn lower_ranks_are_higher_ranks() {
        assert!(is_subtype(&mat(&[None]), &mat(&[None, None])));
        assert!(is_subtype(
            &mat(&[None, None]),
            &Type::Array(ArrayType::any_rank(Type::scalar(ElementType::Single)))
        ));
        assert_eq!(conversion(&mat(&[None, None]), &mat(&[None])), Some(Conversion::Checked));
        assert_eq!(conversion(&mat(&[Some(2), Some(2)]), &mat(&[None])), None);
    }

    #[test]
    fn numbers_convert() {
        let scalar = Type::scalar(ElementType::Single);
        assert_eq!(conversion(&Type::INT, &scalar), Some(Conversion::Promote));
        assert_eq!(conversion(&scalar, &Type::INT), Some(Conversion::Truncate));
        assert_eq!(conversion(&Type::scalar(ElementType::ComplexSingle), &scalar), None);
        assert_eq!(conversion(&scalar, &mat(&[None])), None);
    }
}
