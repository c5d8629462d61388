//! Library functions of small arrays that devices compute by one call of their library.

use super::Expr;
use crate::target::gpu::SOLVED_ROWS;
use crate::types::ElementType;
use crate::types::known::{array_element, fixed};

/// How a device computes a library function of small arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SmallCall {
    /// An array of ones, or of zeros.
    Fill { ones: bool },
    /// The argument itself.
    Argument,
    /// A call that returns a number: the function of the device library, and the sizes after the arrays.
    Number(&'static str, Vec<usize>),
    /// A call that writes an array.
    Array(&'static str, Vec<usize>),
}

/// Whether a function divides by the pivots of its matrix, and so fails where one is zero.
pub fn divides_by_pivots(name: &str) -> bool {
    matches!(name, "inv" | "solve")
}

/// The call for a library function, or what devices have no form for.
pub fn small_call(name: &str, args: &[Expr], expr: &Expr) -> Result<SmallCall, String> {
    let sizes = fixed(&expr.ty);
    if matches!(name, "zeros" | "ones" | "uninit") && sizes.is_some() {
        return Ok(SmallCall::Fill { ones: name == "ones" });
    }
    let Some(element) = args.first().and_then(|arg| array_element(&arg.ty)) else {
        return Err(format!("'{name}'"));
    };
    let shapes: Vec<Vec<usize>> = args.iter().map(|arg| fixed(&arg.ty).unwrap_or_default()).collect();
    let dims: Vec<&[usize]> = shapes.iter().map(Vec::as_slice).collect();
    let one_type = args.iter().all(|arg| array_element(&arg.ty) == Some(element));
    let known = one_type && dims.iter().all(|dims| !dims.is_empty());
    let call = if known { call(name, &dims, element, sizes.as_deref()) } else { None };
    call.ok_or_else(|| format!("'{name}' with these arguments"))
}

fn call(name: &str, dims: &[&[usize]], element: ElementType, sizes: Option<&[usize]>) -> Option<SmallCall> {
    let exact = element.is_float() || element.is_complex();
    let number = |function, sizes: &[usize]| Some(SmallCall::Number(function, sizes.to_vec()));
    match (name, dims) {
        ("dotprod", [x, y]) if x == y => return number("dot", &[x.iter().product()]),
        ("norm", [x]) if element.is_float() && element != ElementType::Half => {
            return number("norm", &[x.iter().product()]);
        }
        ("det", [[n, m]]) if exact && n == m && *n <= SOLVED_ROWS => return number("det", &[*n]),
        ("singular", [[n, m]]) if exact && n == m && *n <= SOLVED_ROWS => return number("singular", &[*n]),
        ("trace", [[n, m]]) if n == m => return number("trace", &[*n]),
        ("transpose", [[_]]) | ("copy", [_]) => return Some(SmallCall::Argument),
        _ => {}
    }
    let sizes = sizes?;
    let array = |function, sizes: &[usize]| Some(SmallCall::Array(function, sizes.to_vec()));
    match (name, dims) {
        ("cross", [[3], [3]]) => array("cross", &[]),
        ("inv", [[n, m]]) if exact && n == m && *n <= SOLVED_ROWS => array("inv", &[*n]),
        ("solve", [[n, m], [rows]]) if exact && n == m && m == rows && *n <= SOLVED_ROWS => {
            array("solve", &[*n, 1])
        }
        ("solve", [[n, m], [rows, c]]) if exact && n == m && m == rows && *n <= SOLVED_ROWS => {
            array("solve", &[*n, *c])
        }
        ("transpose", [[r, c]]) => array("transpose", &[*r, *c]),
        ("matmul", [[r, k], [l, c]]) if k == l => array("matmul", &[*r, *k, *c]),
        ("matmul", [[r, k], [l]]) if k == l && sizes == [*r] => array("matmul", &[*r, *k, 1]),
        ("matmul", [[k], [l, c]]) if k == l => array("matmul", &[1, *k, *c]),
        _ => None,
    }
}
