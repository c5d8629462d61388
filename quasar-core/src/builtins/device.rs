//! Which builtins have a Quasar implementation for kernels and device functions, in `lib/device/functions.q`.

use super::{CallTypes, Typing};
use crate::target::any::REGISTER_ARRAY;
use crate::types::known::{fixed, rank};
use crate::types::{ElementType, Type};

/// The functions. Calls with few elements may be scalarised instead.
pub const IN_QUASAR: &[&str] = &[
    "argmax",
    "argmin",
    "cholesky",
    "det",
    "diag",
    "diagm",
    "diagonal",
    "find",
    "ind2pos",
    "index_of_max",
    "index_of_min",
    "inv",
    "norm",
    "sort",
    "svd",
    "symeig",
    "trace",
];

/// The most rows of a matrix that the device library solves.
const MOST_SOLVED: u32 = 8;

/// Whether device code calls the Quasar implementation.
pub fn is_in_quasar(name: &str, call: &CallTypes<'_>, typing: &Typing) -> bool {
    let Some(Type::Array(array)) = call.args.first().map(|arg| &arg.ty) else { return false };
    let few = fixed(call.ty(0)).is_some_and(|sizes| sizes.iter().product::<usize>() <= REGISTER_ARRAY);
    let exact = what_is_missing(name, call, typing).is_none();
    let vector = rank(call.ty(0)) == Some(1);
    match name {
        "svd" | "symeig" | "cholesky" => exact,
        "det" | "inv" => exact && (!few || array.sizes.first().copied().flatten() > Some(MOST_SOLVED)),
        "find" | "ind2pos" => true,
        "sort" => call.results > 1 || call.args.len() > 1 || !vector || !few && fixed(call.ty(0)).is_some(),
        "norm" => match call.args.len() {
            1 => few && !vector,
            _ => !few || call.number(1) != Some(1.0),
        },
        _ => !few,
    }
}

/// The requirement that a decomposition's argument violates in device code, where matrices are not converted
/// implicitly.
pub fn what_is_missing(name: &str, call: &CallTypes<'_>, typing: &Typing) -> Option<&'static str> {
    let Type::Array(array) = call.ty(0) else { return None };
    let complex = array.element.element_type().is_some_and(ElementType::is_complex);
    match name {
        "svd" | "symeig" | "cholesky" if complex => Some("a matrix of real numbers"),
        "svd" | "symeig" | "cholesky" | "det" | "inv" if typing.args.first() != Some(call.ty(0)) => {
            Some("a matrix of floats")
        }
        _ => None,
    }
}
