//! Converts integer expressions to linear terms, for dependence tests and access footprints.

use crate::ir::{Expr, ExprKind, VarId};
use crate::logic::{Atom, Linear, Rational};
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;

/// The prover's name for a variable; `None` if the variable has no fixed value.
pub type Naming<'a> = &'a dyn Fn(VarId) -> Option<String>;

/// The expression as a linear term over variables and array extents, or `None` if it is not linear. Integers that were computed
/// otherwise, such as `int(n/2)`, are unknowns of their own, if `fixed` names all of their variables: they have one value.
pub fn linear(expr: &Expr, name: Naming<'_>, fixed: Naming<'_>) -> Option<Linear> {
    linear_over(expr, &mut |leaf| match &leaf.kind {
        ExprKind::Local(variable) if is_integer(&leaf.ty) => {
            Some(Linear::atom(Atom::integer(name(*variable)?)))
        }
        ExprKind::Convert(inner) if is_integer(&leaf.ty) && is_integer(&inner.ty) => {
            linear(inner, name, fixed)
        }
        ExprKind::Convert(_) if is_integer(&leaf.ty) => {
            Some(Linear::atom(Atom::integer(value_name(leaf, fixed)?)))
        }
        ExprKind::Extent(array, axis) => match array.kind {
            ExprKind::Local(variable) => {
                Some(Linear::atom(Atom::integer(format!("size({},{axis})", name(variable)?))))
            }
            _ => None,
        },
        ExprKind::Count(array) => match array.kind {
            ExprKind::Local(variable) => {
                Some(Linear::atom(Atom::integer(format!("numel({})", name(variable)?))))
            }
            _ => None,
        },
        ExprKind::Coordinate(coordinate, axis) => {
            Some(Linear::atom(Atom::integer(format!("{coordinate:?}({axis})"))))
        }
        _ => None,
    })
}

/// A name for the value of an expression, the same wherever it is computed.
fn value_name(expr: &Expr, fixed: Naming<'_>) -> Option<String> {
    let of = |e: &Expr| value_name(e, fixed);
    Some(match &expr.kind {
        ExprKind::Constant(constant) => format!("{constant:?}"),
        ExprKind::Local(variable) => fixed(*variable)?,
        ExprKind::Extent(array, axis) => format!("size({},{axis})", of(array)?),
        ExprKind::Count(array) => format!("numel({})", of(array)?),
        ExprKind::Convert(inner) => format!("{:?}({})", expr.ty, of(inner)?),
        ExprKind::Apply { row, args } => {
            let args: Vec<String> = args.iter().map(of).collect::<Option<_>>()?;
            format!("{}:{:?}({})", row.name, expr.ty, args.join(","))
        }
        _ => return None,
    })
}

/// As [`linear`], with `leaf` giving the term of each subexpression that is no integer sum, difference or product.
pub fn linear_over(expr: &Expr, leaf: &mut dyn FnMut(&Expr) -> Option<Linear>) -> Option<Linear> {
    match &expr.kind {
        ExprKind::Constant(Scalar::I32(value)) => Some(Linear::constant(i64::from(*value))),
        ExprKind::Constant(Scalar::I64(value)) => Some(Linear::constant(*value)),
        ExprKind::Apply { row, args } if is_integer(&expr.ty) => match (row.name, args.as_slice()) {
            ("add", [a, b]) => linear_over(a, leaf)?.plus(&linear_over(b, leaf)?, Rational::ONE),
            ("subtract", [a, b]) => linear_over(a, leaf)?.minus(&linear_over(b, leaf)?),
            ("negate", [a]) => linear_over(a, leaf)?.scaled(Rational::from(-1)),
            ("multiply", [a, b]) => {
                let (a, b) = (linear_over(a, leaf)?, linear_over(b, leaf)?);
                match (a.as_constant(), b.as_constant()) {
                    (Some(factor), _) => b.scaled(factor),
                    (_, Some(factor)) => a.scaled(factor),
                    (None, None) => None,
                }
            }
            _ => leaf(expr),
        },
        _ => leaf(expr),
    }
}

fn is_integer(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(ElementType::Int32 | ElementType::Int64, _))
}
