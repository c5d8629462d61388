//! Conversions between numbers that hold every value that they may get.

use super::{Expr, ExprKind};
use crate::types::known::scalar;
use crate::types::{ElementType, Overflow, Type};

/// Whether a conversion cannot fail.
pub fn total(from: &Expr, to: &Expr) -> bool {
    match (scalar(&from.ty), &to.ty) {
        (Some(a), Type::Scalar(b, overflow)) => {
            *overflow != Overflow::Checked || fits(a, *b) || (*b == ElementType::Int32 && is_small(from))
        }
        (Some(a), Type::Enum(_)) => a == ElementType::Int32,
        _ => true,
    }
}

/// Whether a float cannot be outside of the range of `int`: `n/2` for an integer `n`. Saturating and wrapping are the same then.
pub fn is_small(from: &Expr) -> bool {
    scalar(&from.ty).is_some_and(ElementType::is_float)
        && bound(from).is_some_and(|most| most <= f64::from(1 << 30))
}

/// What the absolute value of a float does not exceed, where it surely is a number. Bounds are powers of two or exact numbers, so
/// that roundings do not leave them.
fn bound(float: &Expr) -> Option<f64> {
    match &float.kind {
        ExprKind::Constant(constant) => Some(constant.as_f64().abs()).filter(|most| most.is_finite()),
        ExprKind::Convert(inner) => match scalar(&inner.ty)? {
            ElementType::Int32 => Some(f64::from(1_u32 << 31)),
            ElementType::Single => bound(inner),
            _ => None,
        },
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("divide", [a, b]) => {
                let by = b.constant()?.as_f64().abs();
                Some(bound(a)? / by).filter(|_| by >= 1.0)
            }
            ("multiply", [a, b]) => Some(bound(a)? * bound(b)?),
            ("add" | "subtract", [a, b]) => Some(bound(a)? + bound(b)?),
            ("negate" | "abs", [a]) => bound(a),
            ("floor" | "ceil" | "round" | "fix", [a]) => Some(bound(a)? + 1.0),
            _ => None,
        },
        _ => None,
    }
}

/// Whether `b` can represent every value of `a`.
fn fits(a: ElementType, b: ElementType) -> bool {
    if !b.is_integer() || a == b {
        return true;
    }
    a.is_integer()
        && match (a.is_signed(), b.is_signed()) {
            (true, false) => false,
            (false, true) => a.bits() < b.bits(),
            _ => a.bits() <= b.bits(),
        }
}
